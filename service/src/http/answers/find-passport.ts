import { singlePassportAnswer } from "@credence/contract/assemble.ts";
import { type Answer, type AnswerCache, passportKey } from "#http/cache/answer-cache.ts";
import { wireOf } from "#http/respond/wire.ts";
import type { Reference } from "#identity/reference.ts";
import type { LookUps } from "#store/serving/look-ups.ts";
import type { Readers } from "#store/serving/readers.ts";

/** Finds the answer for a passport; null if there is none, or if it is not shown. */
export type FindPassport = (reference: Reference) => Answer | null | Promise<Answer | null>;

export const createFindPassport =
  (cache: AnswerCache, readers: Readers): FindPassport =>
  (reference) => {
    const key = passportKey(reference.kind === "wallet" ? reference.address : reference.passportId);
    return cache.find(key, () => loadPassport(readers.current().lookUps, reference));
  };

async function loadPassport(lookUps: LookUps, reference: Reference): Promise<Answer | null> {
  const found = await (reference.kind === "wallet"
    ? lookUps.passportByWallet(reference.address)
    : lookUps.passportById(reference.passportId));
  if (found === null) return null;
  const { passportId, body, tail, etag } = found;
  return { passportId, wire: wireOf(singlePassportAnswer(body, tail)), etag };
}
