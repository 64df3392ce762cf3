import type { Brownout } from "./calendar.ts";

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
