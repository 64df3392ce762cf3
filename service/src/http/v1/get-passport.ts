import { singlePassportAnswer } from "@credence/contract/assemble.ts";
import type { FastifyInstance } from "fastify";
import { type Answer, passportKey, wireOf } from "#http/cache/answer-cache.ts";
import type { Deps } from "#http/deps.ts";
import { errorSender } from "#http/respond/errors.ts";
import { foundSender, whenFound } from "#http/respond/send-found.ts";
import { parseReference, type Reference } from "#identity/reference.ts";
import type { FoundPassport, LookUps } from "#store/serving/look-ups.ts";

export const GET_PASSPORT = "/api/v1/passports/:id";

export function getPassport(app: FastifyInstance, deps: Deps): void {
  const { cache, readers } = deps;
  const sendError = errorSender(deps);
  const sendFound = foundSender(deps, GET_PASSPORT);

  app.get<{ Params: { id: string } }>(GET_PASSPORT, (request, reply) => {
    const reference = parseReference(request.params.id);
    if (reference === null) return void sendError(reply, "not_found");
    const key = passportKey(reference.kind === "wallet" ? reference.address : reference.passportId);
    const found = cache.find(key, () => loadPassport(readers.current().lookUps, reference));
    whenFound(reply, found, (answer) => {
      if (answer === null) sendError(reply, "not_found");
      else sendFound(reply, answer);
    });
  });
}

function loadPassport(lookUps: LookUps, reference: Reference): Promise<Answer | null> {
  const found =
    reference.kind === "wallet"
      ? lookUps.passportByWallet(reference.address)
      : lookUps.passportById(reference.passportId);
  return found.then(answerOf);
}

const answerOf = (found: FoundPassport | null): Answer | null =>
  found && {
    passportId: found.passportId,
    wire: wireOf(singlePassportAnswer(found.body, found.tail)),
    etag: found.etag,
  };
