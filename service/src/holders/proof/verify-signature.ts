import { createPublicKey, verify } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { base58 } from "@scure/base";
import { kindOfAddress } from "./address.ts";
import { decodeSolanaSignature } from "./signature-form.ts";

const CANONICAL_EVM = /^0x([0-9a-f]{128})(1b|1c)$/;

/** The encoding of an ed25519 public key up to the key itself (RFC 8410). */
const ED25519_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/**
 * Whether the key of this address signed the text. Only canonical forms are accepted, of the
 * signature and of the address: a second form would be a second proof from one signature.
 */
export function verifySignature(text: string, signature: string, address: string): boolean {
  const kind = kindOfAddress(address);
  if (kind === "evm") return recoverEvmAddress(text, signature) === address;
  return kind === "solana" && verifySolana(text, signature, address);
}

/** The address whose key signed the text as ERC-191 defines it (`personal_sign`), or null. */
function recoverEvmAddress(text: string, signature: string): string | null {
  const [, scalars, recovery] = CANONICAL_EVM.exec(signature) ?? [];
  if (scalars === undefined) return null;
  try {
    const parsed = secp256k1.Signature.fromBytes(Buffer.from(scalars, "hex"));
    // For every signature, anybody can compute a second one with a high s.
    if (parsed.hasHighS()) return null;
    const point = parsed.addRecoveryBit(recovery === "1c" ? 1 : 0).recoverPublicKey(hashOf(text));
    return `0x${Buffer.from(keccak_256(point.toBytes(false).subarray(1)).subarray(12)).toString("hex")}`;
  } catch {
    // Numbers that are no signature, such as zero.
    return null;
  }
}

function hashOf(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
}

function verifySolana(text: string, signature: string, address: string): boolean {
  const bytes = decodeSolanaSignature(signature);
  if (bytes === null) return false;
  const key = Buffer.concat([ED25519_PREFIX, base58.decode(address)]);
  return verify(null, Buffer.from(text), createPublicKey({ key, format: "der", type: "spki" }), bytes);
}
