/** What a set of people is given as: numbers and wallets, of which one was added. */
export type PeopleQuery = { ids?: string; with?: string };

const MAX_TEXT = 100;

/** Of one set. */
const MAX_PEOPLE = 4;

/** The texts that refer to people, each once, of more than four the first. */
export function listReferences({ ids = "", with: added = "" }: PeopleQuery): string[] {
  const texts = `${ids} ${added}`.split(/[\s,]+/).filter((text) => text !== "" && text.length <= MAX_TEXT);
  return [...new Set(texts)].slice(0, MAX_PEOPLE);
}
