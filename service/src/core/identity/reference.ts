import { canonicalWallet } from "./wallet-address.ts";

/** A parsed reference to a person: a passport id, or the address of a wallet of theirs. */
export type Reference = { kind: "passport_id"; passportId: number } | { kind: "wallet"; address: string };

const DIGITS = /^[0-9]+$/;
/** The longest address that an import accepts. */
const MAX_CHARACTERS = 256;

/**
 * Parses the `{id}` of a path or a `passport_id` parameter. Digits are an id; any other text may be a wallet
 * of some chain. Returns null if it can be neither. Leading zeros are ignored. Nothing is rounded, trimmed or
 * coerced, so no text becomes the id of another person.
 */
export function parseReference(text: string): Reference | null {
  if (DIGITS.test(text)) {
    const passportId = Number(text);
    return passportId >= 1 && Number.isSafeInteger(passportId) ? { kind: "passport_id", passportId } : null;
  }
  const isStorable = text !== "" && text.length <= 2 * MAX_CHARACTERS && !text.includes("\0") && text.isWellFormed();
  return isStorable ? { kind: "wallet", address: canonicalWallet(text) } : null;
}
