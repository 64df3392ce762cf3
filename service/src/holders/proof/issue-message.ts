import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { composeMessage, type HolderMessage, parseMessage } from "./message.ts";

const SALT_DIGITS = 16;
const TAG_DIGITS = 32;

/**
 * A number used once: a random part, and an HMAC of the whole message with this random part. Every
 * node with the key recognises its messages without storing anything, and no field can be changed.
 */
function createNonce(key: string, message: Omit<HolderMessage, "nonce">): string {
  const salt = randomBytes(SALT_DIGITS / 2).toString("hex");
  return salt + tagOf(key, { ...message, nonce: salt });
}

/** The key with which a node issued the message; null if it was none of these. */
export const findNonceKey = (keys: readonly string[], message: HolderMessage): string | null =>
  keys.find((key) => isIssuedWith(key, message)) ?? null;

function isIssuedWith(key: string, message: HolderMessage): boolean {
  if (message.nonce.length !== SALT_DIGITS + TAG_DIGITS) return false;
  const nonce = message.nonce.slice(0, SALT_DIGITS);
  const expected = tagOf(key, { ...message, nonce });
  return timingSafeEqual(Buffer.from(message.nonce.slice(SALT_DIGITS)), Buffer.from(expected));
}

const tagOf = (key: string, message: HolderMessage): string =>
  createHmac("sha256", key)
    .update(`credence holder nonce\n${composeMessage(message)}`)
    .digest("hex")
    .slice(0, TAG_DIGITS);

/** How long a message can be used after it was issued. */
export const VALID_MS = 600_000;

export type MessageSubject = Pick<HolderMessage, "domain" | "address" | "wish" | "isReviewed" | "graceSeconds" | "uri">;

/** A new text to sign, for one request. */
export function issueMessage(key: string, subject: MessageSubject, now: Date): string {
  const issuedAt = new Date(Math.floor(now.getTime() / 1000) * 1000);
  const message = { ...subject, issuedAt, expiresAt: new Date(issuedAt.getTime() + VALID_MS) };
  return composeMessage({ ...message, nonce: createNonce(key, message) });
}

/** `early`: issued by a node whose clock is ahead. */
export type RequestFault = "form" | "expired" | "early" | "domain" | "nonce" | "signature";

/** `keys`: the first issues nonces; the others did before. */
export type Expected = { domain: string; keys: readonly string[]; now: Date };

/** `key`: the one that issued the nonce. */
export type Checked = { message: HolderMessage; key: string } | { fault: RequestFault };

/** How far the clocks of two nodes may differ. */
const MAX_SKEW_MS = 30_000;

/** All that a node checks before the signature: it is cheap, and rejects what others invent. */
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

/**
 * The code in the address of a request's page. It follows from the signed text, so that sending it again
 * leads to the same page, and nobody without the key can compute it.
 */
export const codeOf = (key: string, text: string): string =>
  createHmac("sha256", key).update(`credence holder code\n${text}`).digest("hex").slice(0, 32);
