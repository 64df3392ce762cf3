/** RFC 9110: `*`, or a list that holds the tag, compared weakly. */
export function matchesNone(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return true;
  // A list may fill the whole header, and a tag cannot hold a quote: its quoted form stands there, or the list does not hold it.
  return ifNoneMatch.trim() !== "*" && !ifNoneMatch.includes(etag.replace(/^W\//, ""));
}
