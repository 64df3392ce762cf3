import { ed25519 } from "@noble/curves/ed25519.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { base58 } from "@scure/base";

/** The kinds of address whose owner can be proved without a blockchain node. */
export type AddressKind = "evm" | "solana";

const EVM = /^0x[0-9a-f]{40}$/;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The kind of a canonical address; null if a signature cannot prove who controls it. */
export function kindOfAddress(address: string): AddressKind | null {
  if (EVM.test(address)) return "evm";
  return BASE58.test(address) && isSolanaKey(address) ? "solana" : null;
}

/**
 * A Solana wallet is an ed25519 key. Anybody can sign for a key of small order, such as the System
 * Program (`111…`). Program addresses are not on the curve, so nobody can sign for them.
 */
function isSolanaKey(address: string): boolean {
  const key = base58.decode(address);
  if (key.length !== 32) return false;
  try {
    return !ed25519.Point.fromBytes(key).isSmallOrder();
  } catch {
    return false;
  }
}

/** An EVM address with the checksum of ERC-55, which EIP-4361 asks for. */
export function checksummed(address: string): string {
  const digits = address.slice(2);
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString("hex");
  const checked = [...digits].map((digit, i) =>
    Number.parseInt(hash[i] ?? "0", 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${checked.join("")}`;
}
