/**
 * RFC 9110: `*`, or a list with the tag, compared weakly. True if the caller does not have this
 * version yet.
 */
export function matchesNone(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return true;
  // A tag cannot contain a quote, so the quoted tag occurs in the list if and only if the list
  // holds it.
  return ifNoneMatch.trim() !== "*" && !ifNoneMatch.includes(etag.replace(/^W\//, ""));
}
