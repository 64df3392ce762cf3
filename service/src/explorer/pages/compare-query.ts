/** The query of /compare: `ids` are the people shown, `with` is one to add. */
export type CompareQuery = { ids?: string; with?: string };

const MAX_TEXT = 100;

/** People on one page. */
const MAX_PEOPLE = 4;

/** The distinct references; at most the first four. */
export function listReferences({ ids = "", with: added = "" }: CompareQuery): string[] {
  const texts = `${ids} ${added}`.split(/[\s,]+/).filter((text) => text !== "" && text.length <= MAX_TEXT);
  return [...new Set(texts)].slice(0, MAX_PEOPLE);
}
