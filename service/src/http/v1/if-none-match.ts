const ENTITY_TAGS = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

const opaque = (etag: string): string => etag.replace(/^W\//, "").slice(1, -1);

/** RFC 9110: `*`, or a list that holds the tag, compared weakly. */
export function matchesNone(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return true;
  if (ifNoneMatch.trim() === "*") return false;
  for (const [, tag] of ifNoneMatch.matchAll(ENTITY_TAGS)) if (tag === opaque(etag)) return false;
  return true;
}
