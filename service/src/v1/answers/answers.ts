import { singlePassportAnswer } from "@credence/contract/answer-bytes.ts";
import { wireOf } from "#core/http/respond/content.ts";
import type { Reference } from "#core/identity/reference.ts";
import type { QueueState } from "#core/readers/bounded-pool.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import { type Answer, type AnswerCache, credentialsKey, passportKey } from "#v1/cache/answer-cache.ts";
import { type LookUps, openLookUps } from "#v1/look-ups/look-ups.ts";
import { createFindList, type FindList } from "./find-list.ts";

/** Finds the answer for a passport, or for its credentials; null if there is no passport to show. */
type FindAnswer = (reference: Reference) => Answer | null | Promise<Answer | null>;

/** The answers of the three endpoints of V1. */
export type Answers = { passport: FindAnswer; credentials: FindAnswer; list: FindList; queues: () => QueueState[] };

export function createAnswers(cache: AnswerCache, readers: Readers): Answers {
  const opened = new Map(readers.all.map((reader) => [reader, openLookUps(reader["look-ups"])]));
  const lookUps = () => opened.get(readers.current()) as LookUps;
  return {
    passport: (reference) => cache.find(passportKey(keyOf(reference)), () => loadPassport(lookUps(), reference)),
    credentials: (reference) =>
      cache.find(credentialsKey(keyOf(reference)), () => loadCredentials(lookUps(), reference)),
    list: createFindList(cache, readers),
    queues: () => Array.from(opened.values(), ({ queue }) => queue()),
  };
}

const keyOf = (reference: Reference): string | number =>
  reference.kind === "wallet" ? reference.address : reference.passportId;

async function loadPassport(lookUps: LookUps, reference: Reference): Promise<Answer | null> {
  const found = await (reference.kind === "wallet"
    ? lookUps.passportByWallet(reference.address)
    : lookUps.passportById(reference.passportId));
  if (found === null) return null;
  const { passportId, body, tail, etag } = found;
  return { passportId, wire: wireOf(singlePassportAnswer(body, tail)), etag };
}

async function loadCredentials(lookUps: LookUps, reference: Reference): Promise<Answer | null> {
  const found = await (reference.kind === "wallet"
    ? lookUps.credentialsByWallet(reference.address)
    : lookUps.credentialsById(reference.passportId));
  if (found === null) return null;
  const { passportId, body, etag } = found;
  return { passportId, wire: wireOf(body), etag };
}

/** Parses the bytes of an answer. */
export function parseAnswer<Body>({ wire }: Answer): Body {
  return JSON.parse(typeof wire === "string" ? Buffer.from(wire, "latin1").toString() : wire.toString());
}
