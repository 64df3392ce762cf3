import { MAX_COMPARED } from "@credence/explorer/people/compare-page.ts";
import { parseReference } from "#core/identity/reference.ts";
import { isEvmAddress } from "#core/identity/wallet-address.ts";

/**
 * The query of /compare. `ids` are the people shown, `with` is one to add, also by name. The check boxes
 * of a search are named after passports, as the last of equal names wins: `?76=on&194=on`.
 */
export type CompareQuery = Readonly<Record<string, string>>;

const MAX_TEXT = 100;
const PASSPORT_ID = /^\d{1,15}$/;

/** At most four distinct references, and a text to look for if there is room for its person. */
export function readCompareQuery(query: CompareQuery): { texts: string[]; added: string } {
  const { ids = "", with: typed = "" } = query;
  const listed = ids.split(/[\s,]+/).filter((text) => text !== "" && text.length <= MAX_TEXT);
  const chosen = Object.keys(query).filter((name) => PASSPORT_ID.test(name));
  const text = typed.trim().slice(0, MAX_TEXT);
  // Other texts may be a name, or a wallet of some chain.
  const isReference = parseReference(text)?.kind === "passport_id" || isEvmAddress(text);
  const texts = [...new Set([...listed, ...chosen, ...(isReference ? [text] : [])])].slice(0, MAX_COMPARED);
  return { texts, added: isReference || texts.length === MAX_COMPARED ? "" : text };
}
