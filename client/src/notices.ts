import { parseHttpDate } from "./values.ts";

export type DeprecationNotice = {
  kind: "deprecation";
  deprecatedAt: Date | null;
  /** When V1 is switched off. Null if the operator has not set a date. */
  sunsetAt: Date | null;
  /** Where to read more, and the successor of V1 if there is one. */
  links: { deprecation?: string; sunset?: string; "successor-version"?: string };
};

export type RateLimitNotice = {
  kind: "rate-limit";
  /** Points that can be spent in a window. A search costs ten times as much as a look-up. */
  limit: number;
  windowSeconds: number;
  /** Points left at the time of the notice. Null if the server did not send them. */
  remaining: number | null;
  /** Seconds until all points are available again. */
  fullInSeconds: number | null;
  /** True if less than a tenth is left. */
  isLow: boolean;
};

export type Notice = DeprecationNotice | RateLimitNotice;

/** A server that changes its headers all the time must not fill the memory. */
const MAX_NOTICES = 50;

/** Calls back once for each distinct notice in the headers of responses. */
export function createNotifier(onNotice: (notice: Notice) => void): (headers: Headers) => void {
  const seen = new Set<string>();
  const notify = (key: string, notice: Notice): void => {
    if (seen.has(key) || seen.size >= MAX_NOTICES) return;
    seen.add(key);
    onNotice(notice);
  };
  return (headers) => {
    const deprecation = readDeprecation(headers);
    if (deprecation) notify(JSON.stringify(deprecation), deprecation);
    const rateLimit = readRateLimit(headers);
    if (rateLimit) notify(`${rateLimit.limit}/${rateLimit.windowSeconds} ${rateLimit.isLow}`, rateLimit);
  };
}

function readDeprecation(headers: Headers): DeprecationNotice | null {
  const seconds = /^@(\d+)/.exec(headers.get("deprecation") ?? "")?.[1];
  const sunset = parseHttpDate(headers.get("sunset"));
  if (!seconds && !sunset) return null;
  const links: Record<string, string> = {};
  for (const [, url = "", rel = ""] of (headers.get("link") ?? "").matchAll(/<([^>]*)>; *rel="([^"]*)"/g)) {
    if (/^(deprecation|sunset|successor-version)$/.test(rel)) links[rel] = url;
  }
  return {
    kind: "deprecation",
    deprecatedAt: seconds ? new Date(Number(seconds) * 1000) : null,
    sunsetAt: sunset ? new Date(sunset) : null,
    links,
  };
}

export function readRateLimit(headers: Headers): RateLimitNotice | null {
  const policy = headers.get("ratelimit-policy") ?? "";
  const limit = readParameter(policy, "q");
  const windowSeconds = readParameter(policy, "w");
  if (limit === null || windowSeconds === null) return null;
  const left = headers.get("ratelimit") ?? "";
  const remaining = readParameter(left, "r");
  const isLow = remaining !== null && remaining < limit / 10;
  return { kind: "rate-limit", limit, windowSeconds, remaining, fullInSeconds: readParameter(left, "t"), isLow };
}

/** A parameter of the first item of a structured field, such as 250 in `"anonymous";q=250;w=10`. */
function readParameter(field: string, name: string): number | null {
  const digits = new RegExp(`^[^,]*;${name}=(\\d+)`).exec(field)?.[1];
  return digits ? Number(digits) : null;
}
