import { refusesList } from "@credence/contract/filters.ts";
import type { FastifyInstance } from "fastify";
import { clientNetwork } from "#core/http/connections/client-network.ts";
import type { Content } from "#core/http/respond/content.ts";
import { errorContent } from "#core/http/respond/errors.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { answerContent, whenFound } from "./answer-content.ts";
import { parseListQuery } from "./answers/list-query.ts";
import { printPageLinks } from "./answers/page-links.ts";
import type { Answer, PageLink } from "./cache/answer-cache.ts";
import type { V1Deps } from "./v1-deps.ts";

export function listPassports(app: FastifyInstance, prefix: string, { answers, responder, config }: V1Deps): void {
  const path = `${prefix}/passports`;
  const listUrl = config.publicUrl + path;
  const ownUrl = `${config.publicUrl}/api/v1/passports`;
  addRoute<{ Querystring: Record<string, string> }>(app, path, responder, (request) => {
    if (refusesList(request.query)) return errorContent("unknown_filter");
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
