/** What a set of people is given as: numbers and wallets, of which one was added. */
export type PeopleQuery = { ids?: string; with?: string };

const MAX_TEXT = 100;

/** The texts that refer to people, each once, at most this many. */
export function listReferences({ ids = "", with: added = "" }: PeopleQuery, limit: number): string[] {
  const texts = `${ids} ${added}`.split(/[\s,]+/).filter((text) => text !== "" && text.length <= MAX_TEXT);
  return [...new Set(texts)].slice(0, limit);
}
