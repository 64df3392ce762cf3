/** What a caller's text refers to: a person by number, or whoever a wallet leads to. */
export type Reference = { kind: "passport_id"; passportId: number } | { kind: "wallet"; address: string };

const DIGITS = /^[0-9]+$/;
const EVM = /^0[xX][0-9a-fA-F]{40}$/;
// Bitcoin's shortest addresses have 25 characters, Solana's keys 32 to 44; the bound only keeps junk out of the database.
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{25,64}$/;
const BECH32 = /^(?=.{8,90}$)[a-z0-9]+1[02-9ac-hj-np-z]{6,}$/;
// BIP 173: the same address in capitals, as QR codes carry it. Mixed case is not an address.
const BECH32_IN_CAPITALS = /^(?=.{8,90}$)[A-Z0-9]+1[02-9AC-HJ-NP-Z]{6,}$/;

/**
 * Reads the `{id}` of a path or a `passport_id` parameter; null when it can refer to nobody.
 * Nothing is rounded, trimmed or coerced, so no text becomes another person's number. Leading zeros do not count.
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
 * The canonical form of an address: how it is stored, sent, looked up and hashed for an opt-out. EVM and bech32 addresses ignore
 * case and are written in lower case; every other address is case-sensitive and stays as it is.
 */
export function canonicalWallet(address: string): string {
  return EVM.test(address) || BECH32_IN_CAPITALS.test(address) ? address.toLowerCase() : address;
}
