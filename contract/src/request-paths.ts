/** What a path that is no endpoint asks for. The set is closed: it is a label of a metric. */
export type PathShape = "list" | "passport" | "credentials" | "score" | "other";

/** Words of API paths. Any other segment may be a wallet or a name, and is not stored. */
const WORDS = new Set([
  ...["api", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9"],
  ...["passports", "passport", "passport_credentials", "credentials", "score", "scores"],
  ...["profile", "profiles", "accounts", "socials", "users", "search", "data_points"],
]);
const MAX_WORDS = 3;

/** The path of a URL, decoded as the router does it, without its query. */
export function readPath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Doubled and trailing slashes are ignored. */
const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

/** Every shape but `other` looks like V1, or a later version of it, under another prefix. */
export function shapeOf(path: string): PathShape {
  const segments = segmentsOf(path.toLowerCase());
  const last = segments.at(-1);
  if (segments.at(-2) === "passports") return "passport";
  if (last === "passports") return "list";
  if (last === "passport_credentials") return "credentials";
  return last === "score" || last === "scores" ? "score" : "other";
}

/**
 * A path as it is stored, such as `/api/v2/passports/*`: without anything that may identify a person.
 * Two stars at the end stand for any number of further segments.
 */
export function maskPath(path: string): string {
  const segments = segmentsOf(path);
  const words = segments.slice(0, MAX_WORDS).map((segment) => (WORDS.has(segment) ? segment : "*"));
  const stars = Array.from({ length: Math.min(2, Math.max(0, segments.length - MAX_WORDS)) }, () => "*");
  return `/${[...words, ...stars].join("/")}`;
}

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
