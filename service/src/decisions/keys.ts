import { createHmac, timingSafeEqual } from "node:crypto";
import { canonicalWallet } from "#core/identity/wallet-address.ts";

/** Namespaces of CAIP-10 with their chain, and schemes of payment URIs (EIP-681, BIP 21, Solana Pay). */
const PREFIXES =
  /^(?:[a-z0-9-]{3,8}:[\w-]{1,32}:|(?:ethereum|bitcoin|solana|litecoin|dogecoin|cosmos):(?:\/\/)?(?:pay-)?)+/i;
/** What may follow the address in a URI: a chain, a function or parameters. */
const SUFFIX = /[@/?#].*$/;
const BECH32 = /^[a-z0-9]+1[02-9ac-hj-np-z]{6,}$/i;
const HEX_WITHOUT_PREFIX = /^[0-9a-f]{40}$/i;

/**
 * The form of an address in which erased wallets are compared, so that another spelling does not bring an
 * erased person back. Stored wallets keep the spelling in which they came.
 */
export function erasedForm(address: string): string {
  const bare = address
    .normalize("NFKC")
    .replaceAll(/[\s\p{C}]/gu, "")
    .replace(PREFIXES, "")
    .replace(SUFFIX, "");
  if (HEX_WITHOUT_PREFIX.test(bare)) return `0x${bare.toLowerCase()}`;
  return BECH32.test(bare) ? bare.toLowerCase() : canonicalWallet(bare);
}

// Wallet addresses are public, so an unkeyed hash could be reversed by hashing all of them.

/** Identifies a key of OPT_OUT_KEY without revealing it. */
export const fingerprintOf = (key: string): string =>
  createHmac("sha256", key).update("credence opt-out key").digest("hex").slice(0, 16);

/** The hash of a wallet of an erased person, in any spelling. */
export const hashWallet = (key: string, address: string): string =>
  createHmac("sha256", key)
    .update(`wallet ${erasedForm(address)}`)
    .digest("hex");

/** Authenticates a file of decisions: `update` gets all lines but the last. */
export const createMac = (key: string) => createHmac("sha256", key).update("credence decisions\n");

export const isSameMac = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
