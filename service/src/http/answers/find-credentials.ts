import { type Answer, type AnswerCache, credentialsKey } from "#http/cache/answer-cache.ts";
import { wireOf } from "#http/respond/wire.ts";
import type { Reference } from "#identity/reference.ts";
import type { LookUps } from "#store/serving/look-ups.ts";
import type { Readers } from "#store/serving/readers.ts";

/** Finds the answer for the credentials of a passport; null if there is no such passport. */
export type FindCredentials = (reference: Reference) => Answer | null | Promise<Answer | null>;

export const createFindCredentials =
  (cache: AnswerCache, readers: Readers): FindCredentials =>
  (reference) => {
    const key = credentialsKey(reference.kind === "wallet" ? reference.address : reference.passportId);
    return cache.find(key, () => loadCredentials(readers.current().lookUps, reference));
  };

async function loadCredentials(lookUps: LookUps, reference: Reference): Promise<Answer | null> {
  const found = await (reference.kind === "wallet"
    ? lookUps.credentialsByWallet(reference.address)
    : lookUps.credentialsById(reference.passportId));
  if (found === null) return null;
  const { passportId, body, etag } = found;
  return { passportId, wire: wireOf(body), etag };
}
