import { findNonceKey, VALID_MS } from "#holders/proof/issue-message.ts";
import { parseMessage } from "#holders/proof/message.ts";
import { verifySignature } from "#holders/proof/verify-signature.ts";
import type { Proof } from "./request-rules.ts";
import type { OpenRequest } from "./requests.ts";
import type { HolderSettings } from "./settings.ts";

/** How far the clock of a serving node may differ from the database's. */
const MAX_SKEW_MS = 5 * 60_000;

/**
 * Whether the holder signed exactly this request, for this server. A serving node has verified it
 * before, but the role of serving nodes may be in other hands. A text in our form for
 * another domain or key has only a time: the settings of all processes tell what it is.
 */
export function verifyProof(
  request: OpenRequest,
  { domain, keys }: HolderSettings,
): Exclude<Proof, "unverifiable"> | "forged" | { issuedAt: Date } {
  if (!verifySignature(request.message, request.signature, request.address)) return "forged";
  const message = parseMessage(request.message);
  // Signed, but for another site: no version of this program writes such a text.
  if (message === null) return "forged";
  const isSame =
    request.action === message.action &&
    request.passport_id === message.passportId &&
    request.address === message.address &&
    request.nonce === message.nonce;
  if (!isSame) return "forged";
  if (message.domain !== domain || findNonceKey(keys, message) === null) {
    return { issuedAt: message.issuedAt };
  }
  const ageMs = request.received_at.getTime() - message.issuedAt.getTime();
  return ageMs > VALID_MS + MAX_SKEW_MS || ageMs < -MAX_SKEW_MS ? "clock" : "valid";
}
