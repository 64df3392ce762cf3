import { type Calendar, findPeriod, type LifeCycleState } from "#core/config/calendar.ts";

export type LifeCycle = Readonly<{
  state: LifeCycleState;
  /** When the state began and when it changes, in milliseconds, or infinite. */
  from: number;
  until: number;
  /** On every V1 response, errors and 304 included. */
  headers: Readonly<{ deprecation: string; sunset?: string; link: string }>;
  /** The latest time until which a response may be cached, in milliseconds, or Infinity. */
  cacheUntil: number;
}>;

/**
 * The life cycle of V1 at a time, in milliseconds. Every node gets the same result for the same
 * calendar and time.
 */
export function lifeCycle(calendar: Calendar, now: number): LifeCycle {
  const { state, from, until } = findPeriod(calendar, now);
  return {
    state,
    from,
    until,
    headers: {
      // RFC 9745: a structured-field date.
      deprecation: `@${Math.floor(calendar.deprecatedAt.getTime() / 1000)}`,
      ...(calendar.sunsetAt && { sunset: calendar.sunsetAt.toUTCString() }),
      link: links(calendar),
    },
    // A response to a request that arrived before V1 was switched off may be sent afterwards. It
    // must not be cached, so its time limit is in the past.
    cacheUntil: isSwitchedOff(state) ? from : until,
  };
}

/** True while every V1 request gets 410. */
export const isSwitchedOff = (state: LifeCycleState): state is "brownout" | "gone" =>
  state === "brownout" || state === "gone";

/** The header of a 410 that ends at a time, in milliseconds: whole seconds, at least 1. */
export const retryAfterHeader = (until: number, now: number): readonly [name: string, value: string] => [
  "retry-after",
  String(Math.max(1, Math.ceil((until - now) / 1000))),
];

function links({ docsUrl, sunsetAt, successorUrl }: Calendar): string {
  return [
    link(docsUrl, "deprecation", "text/html"),
    ...(sunsetAt ? [link(docsUrl, "sunset", "text/html")] : []),
    ...(successorUrl ? [link(successorUrl, "successor-version")] : []),
  ].join(", ");
}

/** One entry of a Link header. `rel` comes first: the regular expression of Octokit requires it. */
export function link(url: string, rel: string, type?: string): string {
  return `<${url}>; rel="${rel}"${type === undefined ? "" : `; type="${type}"`}`;
}

/**
 * The life cycle now. It is composed again only when the state changes, as every request needs it.
 */
export function trackLifeCycle(calendar: Calendar): () => LifeCycle {
  let current = lifeCycle(calendar, Date.now());
  return () => {
    const now = Date.now();
    if (now < current.from || now >= current.until) current = lifeCycle(calendar, now);
    return current;
  };
}
