import { MAX_PREFIXES, parsePrefixes } from "#core/config/config-values.ts";

const UNDER_PREFIX = /^((?:\/[a-z0-9-]+)+)\/(?:passports(?:\/\*)?|passport_credentials)$/;

type CountedPath = { path: string; requests: number };

/** Requests to V1 under a prefix that is not served. */
export type OtherPrefix = { prefix: string; requests: number };

/** The prefixes of stored paths under which V1 is not served, the most frequent first. */
export function findOtherPrefixes(paths: readonly CountedPath[], served: readonly string[]): OtherPrefix[] {
  const byPrefix = new Map<string, number>();
  for (const { path, requests } of paths) {
    const [, prefix = "/api/v1"] = UNDER_PREFIX.exec(path) ?? [];
    if (prefix !== "/api/v1" && !served.includes(prefix)) byPrefix.set(prefix, (byPrefix.get(prefix) ?? 0) + requests);
  }
  return Array.from(byPrefix, ([prefix, requests]) => ({ prefix, requests })).toSorted(
    (a, b) => b.requests - a.requests || a.prefix.localeCompare(b.prefix),
  );
}

/** `setting` is the V1_ALSO_AT that answers these requests; null if there are none. */
export type Suggestion = { others: OtherPrefix[]; setting: string | null };

/** Which prefixes to serve V1 under, from the paths that clients ask for: the most frequent ones. */
export function suggestPrefixes(
  paths: readonly { path: string; requests: number }[],
  served: readonly string[],
): Suggestion {
  const others = findOtherPrefixes(paths, served)
    .filter(({ prefix }) => isAllowed(prefix))
    .slice(0, MAX_PREFIXES - served.length);
  const prefixes = [...served, ...others.map(({ prefix }) => prefix)];
  return { others, setting: others.length === 0 ? null : `V1_ALSO_AT=${prefixes.join(",")}` };
}

function isAllowed(prefix: string): boolean {
  try {
    return parsePrefixes(prefix).length === 1;
  } catch {
    return false;
  }
}
