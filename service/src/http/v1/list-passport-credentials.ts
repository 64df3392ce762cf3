import { passportCredentialsAnswer } from "@credence/contract/assemble.ts";
import { etagOf } from "@credence/contract/etag.ts";
import type { FastifyInstance } from "fastify";
import { type Answer, credentialsKey, wireOf } from "#http/cache/answer-cache.ts";
import type { Deps } from "#http/deps.ts";
import { addRoute } from "#http/respond/respond.ts";
import { parseReference, type Reference } from "#identity/reference.ts";
import type { LookUps } from "#store/serving/look-ups.ts";
import { answerContent, whenFound } from "./answer-content.ts";

export const LIST_PASSPORT_CREDENTIALS = "/api/v1/passport_credentials";

/** A filter without a match returns an empty list: this endpoint has no 404. */
const EMPTY = answerContent({
  wire: wireOf(passportCredentialsAnswer([])),
  etag: etagOf(passportCredentialsAnswer([])),
});

export function listPassportCredentials(app: FastifyInstance, { cache, readers, responder }: Deps): void {
  addRoute<{ Querystring: { passport_id?: string } }>(app, LIST_PASSPORT_CREDENTIALS, responder, ({ query }) => {
    const reference = parseReference(query.passport_id ?? "");
    if (reference === null) return EMPTY;
    const key = credentialsKey(reference.kind === "wallet" ? reference.address : reference.passportId);
    const found = cache.find(key, () => loadCredentials(readers.current().lookUps, reference));
    return whenFound(found, (answer) => (answer === null ? EMPTY : answerContent(answer)));
  });
}

async function loadCredentials(lookUps: LookUps, reference: Reference): Promise<Answer | null> {
  const found = await (reference.kind === "wallet"
    ? lookUps.credentialsByWallet(reference.address)
    : lookUps.credentialsById(reference.passportId));
  if (found === null) return null;
  const { passportId, body, etag } = found;
  return { passportId, wire: wireOf(body), etag };
}
