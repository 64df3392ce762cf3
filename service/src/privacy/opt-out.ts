import { createHmac } from "node:crypto";
import { canonicalWallet } from "#core/identity/wallet-address.ts";

/** Namespaces of CAIP-10 with their chain, and schemes of payment URIs (EIP-681, BIP 21, Solana Pay). */
const PREFIXES =
  /^(?:[a-z0-9-]{3,8}:[\w-]{1,32}:|(?:ethereum|bitcoin|solana|litecoin|dogecoin|cosmos):(?:\/\/)?(?:pay-)?)+/i;
/** What may follow the address in a URI: a chain, a function or parameters. */
const SUFFIX = /[@/?#].*$/;
const BECH32 = /^[a-z0-9]+1[02-9ac-hj-np-z]{6,}$/i;
const HEX_WITHOUT_PREFIX = /^[0-9a-f]{40}$/i;

/**
 * The form of an address in which opt-outs are compared, so that another spelling does not bring an
 * erased person back. Stored wallets keep the spelling in which they came.
 */
export function optOutForm(address: string): string {
  const bare = address
    .normalize("NFKC")
    .replaceAll(/[\s\p{C}]/gu, "")
    .replace(PREFIXES, "")
    .replace(SUFFIX, "");
  if (HEX_WITHOUT_PREFIX.test(bare)) return `0x${bare.toLowerCase()}`;
  return BECH32.test(bare) ? bare.toLowerCase() : canonicalWallet(bare);
}

// Wallet addresses are public, so an unkeyed hash could be reversed by hashing all of them.

/** Identifies the key of a hash without revealing the key. */
export function fingerprintOf(key: string): string {
  return createHmac("sha256", key).update("credence opt-out key").digest("hex").slice(0, 16);
}

/** The hash of a wallet in a tombstone. `address` is in the form of `optOutForm`. */
export function hashWallet(key: string, address: string): string {
  return createHmac("sha256", key).update(`wallet ${address}`).digest("hex");
}
