/** When V1 was deprecated, when it ends, and where callers read about it. */
export type Calendar = Readonly<{
  deprecatedAt: Date;
  sunsetAt: Date | null;
  docsUrl: string;
  successorUrl: string | null;
}>;

export type LifeCycle = Readonly<{
  state: LifeCycleState;
  /** On every V1 response, errors and 304 included. */
  headers: Readonly<{ deprecation: string; sunset?: string; link: string }>;
  /** The latest time until which a response may be cached, in milliseconds, or Infinity. */
  cacheUntil: number;
}>;

/** `gone` from the sunset on: every V1 request gets 410. */
type LifeCycleState = "deprecated" | "gone";

/** The life cycle of V1 at a time, in milliseconds. */
export function lifeCycle(calendar: Calendar, now: number): LifeCycle {
  return {
    state: stateAt(calendar, now),
    headers: {
      // RFC 9745: a structured-field date.
      deprecation: `@${Math.floor(calendar.deprecatedAt.getTime() / 1000)}`,
      ...(calendar.sunsetAt && { sunset: calendar.sunsetAt.toUTCString() }),
      link: links(calendar),
    },
    cacheUntil: sunsetOf(calendar),
  };
}

const sunsetOf = ({ sunsetAt }: Calendar): number => sunsetAt?.getTime() ?? Number.POSITIVE_INFINITY;

const stateAt = (calendar: Calendar, now: number): LifeCycleState =>
  now >= sunsetOf(calendar) ? "gone" : "deprecated";

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
    if (stateAt(calendar, now) !== current.state) current = lifeCycle(calendar, now);
    return current;
  };
}
