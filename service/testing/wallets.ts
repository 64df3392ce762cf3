import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { base58 } from "@scure/base";

/** A wallet with a real key, derived from its name. */
export type TestWallet = { address: string; sign: (text: string) => string };

const keyOf = (name: string): Buffer => createHash("sha256").update(`wallet ${name}`).digest();

export function evmWallet(name: string): TestWallet {
  const key = keyOf(name);
  const publicKey = secp256k1.getPublicKey(key, false);
  const address = `0x${Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString("hex")}`;
  return { address, sign: (text) => signEvm(key, text) };
}

/** As `personal_sign` of a wallet does. */
function signEvm(key: Buffer, text: string): string {
  const bytes = Buffer.from(text);
  const hash = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
  const [recovery = 0, ...scalars] = secp256k1.sign(hash, key, { prehash: false, format: "recovered" });
  return `0x${Buffer.from([...scalars, 27 + recovery]).toString("hex")}`;
}

/** The encoding of an ed25519 private key up to the key itself (RFC 8410). */
const ED25519_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export function solanaWallet(name: string): TestWallet {
  const key = createPrivateKey({ key: Buffer.concat([ED25519_PREFIX, keyOf(name)]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  return { address: base58.encode(publicKey), sign: (text) => base58.encode(sign(null, Buffer.from(text), key)) };
}
