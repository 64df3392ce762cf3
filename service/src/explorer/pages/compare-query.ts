import { MAX_COMPARED } from "@credence/explorer/people/compare-page.ts";
import { parseReference } from "#core/identity/reference.ts";

/**
 * The query of /compare. `ids` are the people shown, `with` is one to add, also by name. The check boxes
 * of a search are named after passports, as the last of equal names wins: `?76=on&194=on`.
 */
export type CompareQuery = Readonly<Record<string, string>>;

const MAX_TEXT = 100;
const PASSPORT_ID = /^\d{1,15}$/;

/** At most four distinct references, and a name to look for if there is room for its person. */
export function readCompareQuery(query: CompareQuery): { texts: string[]; name: string } {
  const { ids = "", with: added = "" } = query;
  const listed = ids.split(/[\s,]+/).filter((text) => text !== "" && text.length <= MAX_TEXT);
  const chosen = Object.keys(query).filter((name) => PASSPORT_ID.test(name));
  const text = added.trim().slice(0, MAX_TEXT);
  const isReference = parseReference(text) !== null;
  const texts = [...new Set([...listed, ...chosen, ...(isReference ? [text] : [])])].slice(0, MAX_COMPARED);
  return { texts, name: isReference || texts.length === MAX_COMPARED ? "" : text };
}
