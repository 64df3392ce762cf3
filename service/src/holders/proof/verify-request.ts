import { createHmac } from "node:crypto";
import { findNonceKey, VALID_MS } from "./issue-message.ts";
import { type HolderMessage, parseMessage } from "./message.ts";

/** `early`: issued by a node whose clock is ahead. */
export type RequestFault = "form" | "expired" | "early" | "domain" | "nonce" | "signature";

/** `keys`: the first issues nonces; the others did before. */
export type Expected = { domain: string; keys: readonly string[]; now: Date };

/** `key`: the one that issued the nonce. */
export type Checked = { message: HolderMessage; key: string } | { fault: RequestFault };

/** How far the clocks of two nodes may differ. */
const MAX_SKEW_MS = 30_000;

/** All that is checked before the signature: it is cheap, and rejects what others invent. */
export function checkMessage(text: string, { domain, keys, now }: Expected): Checked {
  const message = parseMessage(text);
  if (message === null) return { fault: "form" };
  const ageMs = now.getTime() - message.issuedAt.getTime();
  if (ageMs >= VALID_MS) return { fault: "expired" };
  if (ageMs < -MAX_SKEW_MS) return { fault: "early" };
  if (message.domain !== domain) return { fault: "domain" };
  const key = findNonceKey(keys, message);
  return key === null ? { fault: "nonce" } : { message, key };
}

const CODE_DIGITS = 32;

/**
 * The code on the receipt of a signed text, in groups of four digits. It follows from the text, so
 * that a holder who sends it again, because the response was lost, gets the same code.
 */
export const receiptCode = (key: string, text: string): string =>
  createHmac("sha256", key)
    .update(`credence holder code\n${text}`)
    .digest("hex")
    .slice(0, CODE_DIGITS)
    .replaceAll(/(?<=\w)(?=(\w{4})+$)/g, "-");
