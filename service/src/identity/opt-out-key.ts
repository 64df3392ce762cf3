import { createHmac } from "node:crypto";

// Wallets are public, so a plain hash of one could be found by trying them all. Under a key only its holder can tell.

/** Which key a hash was made with, without telling the key. */
export function fingerprintOf(key: string): string {
  return createHmac("sha256", key).update("credence opt-out key").digest("hex").slice(0, 16);
}

/** The hash by which a wallet, in its one spelling, is remembered after its owner is gone. */
export function hashWallet(key: string, address: string): string {
  return createHmac("sha256", key).update(`wallet ${address}`).digest("hex");
}
