const EVM = /^0[xX][0-9a-fA-F]{40}$/;
// Bitcoin addresses have at least 25 characters, Solana keys 32 to 44.
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{25,64}$/;
const BECH32 = /^(?=.{8,90}$)[a-z0-9]+1[02-9ac-hj-np-z]{6,}$/;
// BIP 173: QR codes contain the address in upper case. Mixed case is invalid.
const BECH32_UPPER_CASE = /^(?=.{8,90}$)[A-Z0-9]+1[02-9AC-HJ-NP-Z]{6,}$/;

/**
 * Returns the canonical form of an address, in which it is stored, sent, looked up and hashed for
 * an opt-out. EVM and bech32 addresses become lower case. Every other address is case-sensitive and
 * unchanged.
 */
export function canonicalWallet(address: string): string {
  return EVM.test(address) || BECH32_UPPER_CASE.test(address) ? address.toLowerCase() : address;
}

/** Whether a text in canonical form can be the address of a wallet. */
export const isWallet = (address: string): boolean => EVM.test(address) || BASE58.test(address) || BECH32.test(address);
