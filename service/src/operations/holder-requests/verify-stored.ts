import { VALID_MS } from "#ownership/issue-message.ts";
import { verifyRequest } from "#ownership/verify-request.ts";
import type { StoredRequest } from "#store/holder-requests/requests.ts";

/** The clock of the database may be ahead of the serving node's, and a request may wait. */
const MAX_DELAY_MS = 60_000;

/**
 * Whether the holder signed exactly this request. A serving node has verified it before, but the
 * role of serving nodes may be in other hands.
 */
export function isAuthentic(
  { message: text, signature, received_at, ...stored }: StoredRequest,
  { domain, key }: { domain: string; key: string },
): boolean {
  const expected = { domain, key, now: received_at, maxAgeMs: VALID_MS + MAX_DELAY_MS };
  const verified = verifyRequest({ text, signature }, expected);
  if ("fault" in verified) return false;
  const { action, passportId, address, nonce } = verified.message;
  return (
    stored.action === action &&
    stored.passport_id === passportId &&
    stored.address === address &&
    stored.nonce === nonce
  );
}
