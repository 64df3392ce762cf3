import { passportCredentialsAnswer } from "@credence/contract/assemble.ts";
import { etagOf } from "@credence/contract/etag.ts";
import type { FastifyInstance } from "fastify";
import { wireOf } from "#http/cache/answer-cache.ts";
import type { Deps } from "#http/deps.ts";
import { addRoute } from "#http/respond/respond.ts";
import { parseReference } from "#identity/reference.ts";
import { answerContent, whenFound } from "./answer-content.ts";

export const LIST_PASSPORT_CREDENTIALS = "/api/v1/passport_credentials";

/** A filter without a match returns an empty list: this endpoint has no 404. */
const EMPTY = answerContent({
  wire: wireOf(passportCredentialsAnswer([])),
  etag: etagOf(passportCredentialsAnswer([])),
});

export function listPassportCredentials(app: FastifyInstance, { answers, responder }: Deps): void {
  addRoute<{ Querystring: { passport_id?: string } }>(app, LIST_PASSPORT_CREDENTIALS, responder, ({ query }) => {
    const reference = parseReference(query.passport_id ?? "");
    if (reference === null) return EMPTY;
    return whenFound(answers.credentials(reference), (answer) => (answer === null ? EMPTY : answerContent(answer)));
  });
}
