import { createHmac } from "node:crypto";

// Wallet addresses are public, so an unkeyed hash could be reversed by hashing all of them.

/** Identifies the key of a hash without revealing the key. */
export function fingerprintOf(key: string): string {
  return createHmac("sha256", key).update("credence opt-out key").digest("hex").slice(0, 16);
}

/** The hash of a wallet in a tombstone. `address` is in the form of `optOutForm`. */
export function hashWallet(key: string, address: string): string {
  return createHmac("sha256", key).update(`wallet ${address}`).digest("hex");
}
