import type { FastifyInstance } from "fastify";
import { parseListQuery } from "#http/answers/list-query.ts";
import type { Answer } from "#http/cache/answer-cache.ts";
import type { Deps } from "#http/deps.ts";
import { clientAddress } from "#http/limits/client-address.ts";
import { addRoute } from "#http/respond/respond.ts";
import { answerContent, whenFound } from "./answer-content.ts";

export const LIST_PASSPORTS = "/api/v1/passports";

export function listPassports(app: FastifyInstance, { answers, responder }: Deps): void {
  addRoute<{ Querystring: Record<string, string> }>(app, LIST_PASSPORTS, responder, (request) => {
    const found = answers.list(parseListQuery(request.query), request.keyId ?? clientAddress(request.ip));
    return whenFound(found, (answer) => answerContent(answer as Answer));
  });
}
