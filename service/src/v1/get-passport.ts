import type { FastifyInstance } from "fastify";
import { errorContent } from "#core/http/respond/errors.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { parseReference } from "#core/identity/reference.ts";
import { answerContent, whenFound } from "./answer-content.ts";
import type { V1Deps } from "./v1-deps.ts";

export function getPassport(app: FastifyInstance, prefix: string, { answers, responder }: V1Deps): void {
  addRoute<{ Params: { id: string } }>(app, `${prefix}/passports/:id`, responder, ({ params }) => {
    const reference = parseReference(params.id);
    if (reference === null) return errorContent("not_found");
    return whenFound(answers.passport(reference), (answer) =>
      answer === null ? errorContent("not_found") : answerContent(answer),
    );
  });
}
