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
const EVM = /^0[xX][0-9a-fA-F]{40}$/;
// Bitcoin addresses have at least 25 characters, Solana keys 32 to 44.
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{25,64}$/;
const BECH32 = /^(?=.{8,90}$)[a-z0-9]+1[02-9ac-hj-np-z]{6,}$/;
// BIP 173: QR codes contain the address in upper case. Mixed case is invalid.
const BECH32_UPPER_CASE = /^(?=.{8,90}$)[A-Z0-9]+1[02-9AC-HJ-NP-Z]{6,}$/;

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
  return EVM.test(address) || BASE58.test(address) || BECH32.test(address) ? { kind: "wallet", address } : null;
}

/**
 * Returns the canonical form of an address, in which it is stored, sent, looked up and hashed for
 * an opt-out. EVM and bech32 addresses become lower case. Every other address is case-sensitive and
 * unchanged.
 */
export function canonicalWallet(address: string): string {
  return EVM.test(address) || BECH32_UPPER_CASE.test(address) ? address.toLowerCase() : address;
}
