import { passportCredentialsAnswer } from "@credence/contract/assemble.ts";
import { etagOf } from "@credence/contract/etag.ts";
import type { FastifyInstance } from "fastify";
import type { Deps } from "#http/deps.ts";
import { parseReference, type Reference } from "#identity/reference.ts";
import type { Database } from "#store/database.ts";
import { type FoundCredentials, findCredentialsById, findCredentialsByWallet } from "#store/documents.ts";
import { cachePolicy } from "./cache-policy.ts";
import { sendFound } from "./send-found.ts";

export const LIST_PASSPORT_CREDENTIALS = "/api/v1/passport_credentials";

/** A filter that matches nothing gives an empty list: there is no 404 here. */
const NOTHING: FoundCredentials = { body: passportCredentialsAnswer([]), etag: etagOf(passportCredentialsAnswer([])) };

export function listPassportCredentials(app: FastifyInstance, { config, database }: Deps): void {
  const policy = cachePolicy(config);

  app.get<{ Querystring: { passport_id?: string } }>(LIST_PASSPORT_CREDENTIALS, async (request, reply) => {
    const reference = parseReference(request.query.passport_id ?? "");
    const { body, etag } = (reference && (await findCredentials(database, reference))) ?? NOTHING;
    return sendFound(reply, policy, body, etag);
  });
}

function findCredentials(database: Database, reference: Reference): Promise<FoundCredentials | null> {
  return reference.kind === "wallet"
    ? findCredentialsByWallet(database, reference.address)
    : findCredentialsById(database, reference.passportId);
}
