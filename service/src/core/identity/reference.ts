import { canonicalWallet, isWallet } from "./wallet-address.ts";

/** The query of /compare: `ids` are the people shown, `with` is one to add. */
export type PeopleQuery = { ids?: string; with?: string };

const MAX_TEXT = 100;

/** Of one set. */
const MAX_PEOPLE = 4;

/** The distinct references; at most the first four. */
export function listReferences({ ids = "", with: added = "" }: PeopleQuery): string[] {
  const texts = `${ids} ${added}`.split(/[\s,]+/).filter((text) => text !== "" && text.length <= MAX_TEXT);
  return [...new Set(texts)].slice(0, MAX_PEOPLE);
}

/** A parsed reference to a person: a passport id, or the address of a wallet of theirs. */
export type Reference = { kind: "passport_id"; passportId: number } | { kind: "wallet"; address: string };

const DIGITS = /^[0-9]+$/;
/**
 * Parses the `{id}` of a path or a `passport_id` parameter. Returns null if it cannot be an id or
 * an address. Leading zeros are ignored. Nothing is rounded, trimmed or coerced, so no text becomes
 * the id of another person.
 */
export function parseReference(text: string): Reference | null {
  if (DIGITS.test(text)) {
    const passportId = Number(text);
    return passportId >= 1 && Number.isSafeInteger(passportId) ? { kind: "passport_id", passportId } : null;
  }
  const address = canonicalWallet(text);
  return isWallet(address) ? { kind: "wallet", address } : null;
}
