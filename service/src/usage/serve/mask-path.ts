import { segmentsOf } from "#core/http/connections/request-target.ts";

/** Words of API paths. Any other segment may be a wallet or a name, and is not stored. */
const WORDS = new Set([
  "api",
  "v1",
  "v2",
  "v3",
  "v4",
  "v5",
  "v6",
  "v7",
  "v8",
  "v9",
  "passports",
  "passport",
  "passport_credentials",
  "credentials",
  "score",
  "scores",
  "profile",
  "profiles",
  "accounts",
  "socials",
  "users",
  "search",
  "data_points",
  "human_checkmark",
  "talents",
]);
const MAX_WORDS = 3;

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
