const EVM = /^0[xX][0-9a-fA-F]{40}$/;
// BIP 173: QR codes contain the address in upper case. Mixed case is invalid.
const BECH32_UPPER_CASE = /^(?=.{8,90}$)[A-Z0-9]+1[02-9AC-HJ-NP-Z]{6,}$/;

export const isEvmAddress = (text: string): boolean => EVM.test(text);

/**
 * Returns the canonical form of an address, in which it is stored, sent, looked up and hashed for
 * an erasure. EVM and bech32 addresses become lower case. Every other address is case-sensitive and
 * unchanged.
 */
export function canonicalWallet(address: string): string {
  return EVM.test(address) || BECH32_UPPER_CASE.test(address) ? address.toLowerCase() : address;
}
