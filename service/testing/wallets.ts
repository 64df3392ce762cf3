import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { base58 } from "@scure/base";
import { createWallet, type Wallet } from "#holders/proof/create-wallet.ts";

/** A wallet with a real key, derived from its name. */
export type TestWallet = Wallet;

const keyOf = (name: string): Buffer => createHash("sha256").update(`wallet ${name}`).digest();

export const evmWallet = (name: string): TestWallet => createWallet(keyOf(name));

/** The encoding of an ed25519 private key up to the key itself (RFC 8410). */
const ED25519_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export function solanaWallet(name: string): TestWallet {
  const key = createPrivateKey({ key: Buffer.concat([ED25519_PREFIX, keyOf(name)]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  return { address: base58.encode(publicKey), sign: (text) => base58.encode(sign(null, Buffer.from(text), key)) };
}
