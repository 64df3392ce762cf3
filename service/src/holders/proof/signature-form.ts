import { base58 } from "@scure/base";

const EVM_HEX = /^0x[0-9a-f]{128}(?:00|01|1b|1c)$/;
const HEX = /^(?:0x)?[0-9a-f]{128}$/;
const BASE64 = /^[A-Za-z0-9+/]{86}==$/;

/**
 * The canonical form of a signature as a wallet prints it; other text is returned without the space
 * around it. EVM: `0x` and 65 bytes in lower case, ending in 1b or 1c; some hardware wallets end it
 * in 00 or 01. Solana: base58; some tools print base64 or hex.
 */
export function canonicalSignature(text: string): string {
  const trimmed = text.trim();
  const lower = trimmed.toLowerCase();
  if (EVM_HEX.test(lower)) return lower.replace(/00$/, "1b").replace(/01$/, "1c");
  if (HEX.test(lower)) return base58.encode(Buffer.from(lower.replace("0x", ""), "hex"));
  if (BASE64.test(trimmed)) return base58.encode(Buffer.from(trimmed, "base64"));
  return trimmed;
}

/** Whether a canonical signature can be one of this kind of address. Contract wallets have other forms. */
export const hasSignatureForm = (signature: string, isEvm: boolean): boolean =>
  isEvm ? EVM_HEX.test(signature) : decodeSolanaSignature(signature) !== null;

/** 64 bytes; null if the text is not their base58 form. */
export function decodeSolanaSignature(text: string): Uint8Array | null {
  if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return null;
  const bytes = base58.decode(text);
  return bytes.length === 64 ? bytes : null;
}
