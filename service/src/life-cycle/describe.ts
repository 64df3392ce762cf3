import { formatTime } from "#core/config/brownouts.ts";
import { type Calendar, findPeriod, type LifeCycleState } from "#core/config/calendar.ts";

/** The life cycle of V1 as JSON: `/deprecation.json` and `credence lifecycle show --json`. */
export type LifeCycleDocument = {
  state: LifeCycleState;
  deprecated_at: string;
  sunset_at: string | null;
  brownouts: { starts_at: string; ends_at: string }[];
  next_change: { at: string; state: LifeCycleState } | null;
  docs_url: string;
  successor_url: string | null;
  /** Further paths of V1. */
  also_at: readonly string[];
};

/** The calendar and the state at a time, in milliseconds. Times are RFC 3339 in UTC. */
export function describeLifeCycle(
  calendar: Calendar & { v1AlsoAt: readonly string[] },
  now: number,
): LifeCycleDocument {
  const { deprecatedAt, sunsetAt, brownouts, docsUrl, successorUrl } = calendar;
  const { state, until } = findPeriod(calendar, now);
  return {
    state,
    deprecated_at: formatTime(deprecatedAt),
    sunset_at: sunsetAt && formatTime(sunsetAt),
    brownouts: brownouts.map(({ startsAt, endsAt }) => ({
      starts_at: formatTime(startsAt),
      ends_at: formatTime(endsAt),
    })),
    next_change: Number.isFinite(until)
      ? { at: formatTime(new Date(until)), state: findPeriod(calendar, until).state }
      : null,
    docs_url: docsUrl,
    successor_url: successorUrl,
    also_at: calendar.v1AlsoAt,
  };
}
