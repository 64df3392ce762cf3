/**
 * Whether the caller has this version already, so that the response is a 304. RFC 9110: `*`, or a list
 * with the tag, compared weakly.
 */
export function hasVersion(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // A tag cannot contain a quote, so the quoted tag occurs in the list if and only if the list
  // holds it.
  return ifNoneMatch.trim() === "*" || ifNoneMatch.includes(etag.replace(/^W\//, ""));
}
