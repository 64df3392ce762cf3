import { singlePassportAnswer } from "@credence/contract/assemble.ts";
import type { FastifyInstance } from "fastify";
import type { Deps } from "#http/deps.ts";
import { parseReference, type Reference } from "#identity/reference.ts";
import type { Database } from "#store/database.ts";
import { type FoundPassport, findPassportById, findPassportByWallet } from "#store/documents.ts";
import { cachePolicy } from "./cache-policy.ts";
import { errorSender } from "./errors.ts";
import { sendFound } from "./send-found.ts";

export const GET_PASSPORT = "/api/v1/passports/:id";

export function getPassport(app: FastifyInstance, { config, database }: Deps): void {
  const sendError = errorSender(config);
  const policy = cachePolicy(config);

  app.get<{ Params: { id: string } }>(GET_PASSPORT, async (request, reply) => {
    const reference = parseReference(request.params.id);
    const found = reference && (await findPassport(database, reference));
    if (found === null) return sendError(reply, "not_found");
    return sendFound(reply, policy, singlePassportAnswer(found.body, found.tail), found.etag);
  });
}

function findPassport(database: Database, reference: Reference): Promise<FoundPassport | null> {
  return reference.kind === "wallet"
    ? findPassportByWallet(database, reference.address)
    : findPassportById(database, reference.passportId);
}
