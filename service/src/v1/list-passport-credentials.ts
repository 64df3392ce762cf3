import { etagOf, passportCredentialsAnswer } from "@credence/contract/answer-bytes.ts";
import { refusesCredentials } from "@credence/contract/filters.ts";
import type { FastifyInstance } from "fastify";
import { wireOf } from "#core/http/respond/content.ts";
import { errorContent } from "#core/http/respond/errors.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { parseReference } from "#core/identity/reference.ts";
import { answerContent, whenFound } from "./answer-content.ts";
import type { V1Deps } from "./v1-deps.ts";

/** A filter without a match returns an empty list: this endpoint has no 404. */
const EMPTY = answerContent({
  wire: wireOf(passportCredentialsAnswer([])),
  etag: etagOf(passportCredentialsAnswer([])),
});

export function listPassportCredentials(app: FastifyInstance, prefix: string, { answers, responder }: V1Deps): void {
  const path = `${prefix}/passport_credentials`;
  addRoute<{ Querystring: { passport_id?: string } }>(app, path, responder, ({ query }) => {
    if (refusesCredentials(query)) return errorContent("unknown_filter");
    const reference = parseReference(query.passport_id ?? "");
    if (reference === null) return EMPTY;
    return whenFound(answers.credentials(reference), (answer) => (answer === null ? EMPTY : answerContent(answer)));
  });
}
