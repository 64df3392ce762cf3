import { composeMessage, type HolderMessage } from "./message.ts";
import { createNonce } from "./nonce.ts";

/** How long a message can be used after it was issued. */
export const VALID_MS = 600_000;

export type MessageSubject = Pick<HolderMessage, "domain" | "address" | "action" | "passportId" | "uri">;

/** A new text to sign, for one request. */
export function issueMessage(key: string, subject: MessageSubject, now: Date): string {
  const issuedAt = new Date(Math.floor(now.getTime() / 1000) * 1000);
  const message = { ...subject, issuedAt, expiresAt: new Date(issuedAt.getTime() + VALID_MS) };
  return composeMessage({ ...message, nonce: createNonce(key, message) });
}
