import { findOtherPrefixes, type OtherPrefix } from "@credence/contract/request-paths.ts";
import { MAX_PREFIXES, parsePrefixes } from "#core/config/config-values.ts";

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
