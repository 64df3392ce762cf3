import type { FastifyInstance } from "fastify";
import type { Deps } from "#http/deps.ts";
import { errorContent } from "#http/respond/errors.ts";
import { addRoute } from "#http/respond/respond.ts";
import { parseReference } from "#identity/reference.ts";
import { answerContent, whenFound } from "./answer-content.ts";

export function getPassport(app: FastifyInstance, prefix: string, { answers, responder }: Deps): void {
  addRoute<{ Params: { id: string } }>(app, `${prefix}/passports/:id`, responder, ({ params }) => {
    const reference = parseReference(params.id);
    if (reference === null) return errorContent("not_found");
    return whenFound(answers.passport(reference), (answer) =>
      answer === null ? errorContent("not_found") : answerContent(answer),
    );
  });
}
