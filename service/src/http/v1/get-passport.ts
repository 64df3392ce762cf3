import { singlePassportAnswer } from "@credence/contract/assemble.ts";
import type { FastifyInstance } from "fastify";
import { type Answer, passportKey, wireOf } from "#http/cache/answer-cache.ts";
import type { Deps } from "#http/deps.ts";
import { errorContent } from "#http/respond/errors.ts";
import { addRoute } from "#http/respond/respond.ts";
import { parseReference, type Reference } from "#identity/reference.ts";
import type { LookUps } from "#store/serving/look-ups.ts";
import { answerContent, whenFound } from "./answer-content.ts";

export const GET_PASSPORT = "/api/v1/passports/:id";

export function getPassport(app: FastifyInstance, { cache, readers, responder }: Deps): void {
  addRoute<{ Params: { id: string } }>(app, GET_PASSPORT, responder, ({ params }) => {
    const reference = parseReference(params.id);
    if (reference === null) return errorContent("not_found");
    const key = passportKey(reference.kind === "wallet" ? reference.address : reference.passportId);
    const found = cache.find(key, () => loadPassport(readers.current().lookUps, reference));
    return whenFound(found, (answer) => (answer === null ? errorContent("not_found") : answerContent(answer)));
  });
}

async function loadPassport(lookUps: LookUps, reference: Reference): Promise<Answer | null> {
  const found = await (reference.kind === "wallet"
    ? lookUps.passportByWallet(reference.address)
    : lookUps.passportById(reference.passportId));
  if (found === null) return null;
  const { passportId, body, tail, etag } = found;
  return { passportId, wire: wireOf(singlePassportAnswer(body, tail)), etag };
}
