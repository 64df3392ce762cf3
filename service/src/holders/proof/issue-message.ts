import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { composeMessage, type HolderMessage } from "./message.ts";

const SALT_DIGITS = 16;
const TAG_DIGITS = 32;

/**
 * A number used once: a random part, and an HMAC of the whole message with this random part. Every
 * node with the key recognises its messages without storing anything, and no field can be changed.
 */
export function createNonce(key: string, message: Omit<HolderMessage, "nonce">): string {
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

export type MessageSubject = Pick<HolderMessage, "domain" | "address" | "action" | "passportId" | "uri">;

/** A new text to sign, for one request. */
export function issueMessage(key: string, subject: MessageSubject, now: Date): string {
  const issuedAt = new Date(Math.floor(now.getTime() / 1000) * 1000);
  const message = { ...subject, issuedAt, expiresAt: new Date(issuedAt.getTime() + VALID_MS) };
  return composeMessage({ ...message, nonce: createNonce(key, message) });
}
