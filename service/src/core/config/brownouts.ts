import type { Brownout } from "./calendar.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Longer and longer towards the sunset: a client that missed a short one notices a later one. In whole
 * weeks, so that each starts on the weekday of the sunset.
 */
const RISING: readonly { weeksBefore: number; durationMs: number }[] = [
  { weeksBefore: 13, durationMs: 5 * MINUTE_MS },
  { weeksBefore: 9, durationMs: HOUR_MS },
  { weeksBefore: 4, durationMs: 12 * HOUR_MS },
  { weeksBefore: 2, durationMs: 24 * HOUR_MS },
  { weeksBefore: 1, durationMs: 48 * HOUR_MS },
];
/** Office hours in Europe and in America. */
const START_HOUR_MS = 15 * HOUR_MS;

/**
 * The brownouts of `V1_BROWNOUTS=rising`. They depend on the two dates only, so that every node has
 * the same ones, whenever it was started.
 */
export function risingBrownouts(deprecatedAt: Date, sunsetAt: Date): Brownout[] {
  const sunsetDay = Math.floor(sunsetAt.getTime() / DAY_MS) * DAY_MS;
  return RISING.map(({ weeksBefore, durationMs }) => {
    const start = sunsetDay - weeksBefore * 7 * DAY_MS + START_HOUR_MS;
    return { startsAt: new Date(start), endsAt: new Date(start + durationMs) };
  }).filter(({ startsAt }) => startsAt >= deprecatedAt);
}

/** Everything that is wrong with a list of brownouts, one sentence per problem. */
export function findBrownoutFaults(brownouts: readonly Brownout[], sunsetAt: Date | null): string[] {
  if (sunsetAt === null) return ["there is no sunset: expected V1_SUNSET_AT to be set too."];
  return brownouts.flatMap((brownout, index) => {
    const { startsAt, endsAt } = brownout;
    const previous = brownouts[index - 1];
    const text = formatBrownout(brownout);
    const faults: string[] = [];
    if (endsAt <= startsAt) faults.push(`${text} does not end after its start: expected a later end.`);
    if (endsAt >= sunsetAt) faults.push(`${text} does not end before V1_SUNSET_AT: expected an earlier end.`);
    if (previous !== undefined && startsAt < previous.startsAt) {
      faults.push(`${text} is after ${formatBrownout(previous)}: expected the intervals in order.`);
    } else if (previous !== undefined && startsAt < previous.endsAt) {
      faults.push(`${text} overlaps ${formatBrownout(previous)}: expected intervals that do not overlap.`);
    }
    return faults;
  });
}

const formatBrownout = ({ startsAt, endsAt }: Brownout): string => `${formatTime(startsAt)}/${formatTime(endsAt)}`;

/** `2027-01-10T15:00:00Z`, with milliseconds only if there are some. */
export const formatTime = (time: Date): string => time.toISOString().replace(".000Z", "Z");
