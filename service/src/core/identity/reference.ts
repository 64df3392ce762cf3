import { canonicalWallet, isWallet } from "./wallet-address.ts";

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
