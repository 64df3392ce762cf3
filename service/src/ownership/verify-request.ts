import { VALID_MS } from "./issue-message.ts";
import { type HolderMessage, parseMessage } from "./message.ts";
import { checkNonce } from "./nonce.ts";
import { verifySignature } from "./verify-signature.ts";

/** `early`: issued by a node whose clock is ahead. */
export type RequestFault = "form" | "expired" | "early" | "domain" | "nonce" | "signature";

export type SignedRequest = { text: string; signature: string };

export type Expected = { domain: string; key: string; now: Date; maxAgeMs?: number };

export type Verified = { message: HolderMessage } | { fault: RequestFault };

/** How far the clocks of two nodes may differ. */
const MAX_SKEW_MS = 30_000;

/** Whether a request is a message of this server that its address has signed. */
export function verifyRequest({ text, signature }: SignedRequest, expected: Expected): Verified {
  const checked = checkMessage(text, expected);
  if ("fault" in checked) return checked;
  return verifySignature(text, signature, checked.message.address) ? checked : { fault: "signature" };
}

/** All that is checked before the signature: it is cheap, and rejects what others invent. */
export function checkMessage(text: string, { domain, key, now, maxAgeMs = VALID_MS }: Expected): Verified {
  const message = parseMessage(text);
  if (message === null) return { fault: "form" };
  const ageMs = now.getTime() - message.issuedAt.getTime();
  if (ageMs >= maxAgeMs) return { fault: "expired" };
  if (ageMs < -MAX_SKEW_MS) return { fault: "early" };
  if (message.domain !== domain) return { fault: "domain" };
  return checkNonce(key, message) ? { message } : { fault: "nonce" };
}
