import { passportCredentialsAnswer } from "@credence/contract/assemble.ts";
import { etagOf } from "@credence/contract/etag.ts";
import type { FastifyInstance } from "fastify";
import { type Answer, credentialsKey, wireOf } from "#http/cache/answer-cache.ts";
import type { Deps } from "#http/deps.ts";
import { foundSender, whenFound } from "#http/respond/send-found.ts";
import { parseReference, type Reference } from "#identity/reference.ts";
import type { FoundCredentials, LookUps } from "#store/serving/look-ups.ts";

export const LIST_PASSPORT_CREDENTIALS = "/api/v1/passport_credentials";

/** A filter that matches nothing gives an empty list: there is no 404 here. */
const NOTHING: Answer = {
  wire: wireOf(passportCredentialsAnswer([])),
  etag: etagOf(passportCredentialsAnswer([])),
};

export function listPassportCredentials(app: FastifyInstance, deps: Deps): void {
  const { cache, readers } = deps;
  const sendFound = foundSender(deps, LIST_PASSPORT_CREDENTIALS);

  app.get<{ Querystring: { passport_id?: string } }>(LIST_PASSPORT_CREDENTIALS, (request, reply) => {
    const reference = parseReference(request.query.passport_id ?? "");
    if (reference === null) return sendFound(reply, NOTHING);
    const key = credentialsKey(reference.kind === "wallet" ? reference.address : reference.passportId);
    const found = cache.find(key, () => loadCredentials(readers.current().lookUps, reference));
    whenFound(reply, found, (answer) => sendFound(reply, answer ?? NOTHING));
  });
}

function loadCredentials(lookUps: LookUps, reference: Reference): Promise<Answer | null> {
  const found =
    reference.kind === "wallet"
      ? lookUps.credentialsByWallet(reference.address)
      : lookUps.credentialsById(reference.passportId);
  return found.then(answerOf);
}

const answerOf = (found: FoundCredentials | null): Answer | null =>
  found && { passportId: found.passportId, wire: wireOf(found.body), etag: found.etag };
