import type { FastifyInstance } from "fastify";
import { parseListQuery } from "#http/answers/list-query.ts";
import { printPageLinks } from "#http/answers/page-links.ts";
import type { Answer, PageLink } from "#http/cache/answer-cache.ts";
import { clientNetwork } from "#http/connections/client-network.ts";
import type { Deps } from "#http/deps.ts";
import type { Content } from "#http/respond/content.ts";
import { addRoute } from "#http/respond/respond.ts";
import { answerContent, whenFound } from "./answer-content.ts";

export function listPassports(app: FastifyInstance, prefix: string, { answers, responder, config }: Deps): void {
  const path = `${prefix}/passports`;
  const listUrl = config.publicUrl + path;
  const ownUrl = `${config.publicUrl}/api/v1/passports`;
  addRoute<{ Querystring: Record<string, string> }>(app, path, responder, (request) => {
    const found = answers.list(parseListQuery(request.query), request.keyId ?? clientNetwork(request.ip));
    return whenFound(found, (answer) =>
      listContent(answer as Answer, (links) => printPageLinks(listUrl, ownUrl, links)),
    );
  });
}

/** The cached answer is the same under all prefixes; its links name the one that was requested. */
function listContent(answer: Answer, print: (links: readonly PageLink[]) => string): Content {
  const links = print(answer.links ?? []);
  return { ...answerContent(answer), ...(links !== "" && { links }) };
}
