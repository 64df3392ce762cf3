import type { PassportList } from "@credence/contract/answers.ts";
import { homePage } from "@credence/explorer/people/home-page.ts";
import type { FastifyInstance } from "fastify";
import { clientNetwork } from "#core/http/connections/client-network.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { pageContent } from "#explorer/site/page-content.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import { parseListQuery } from "#v1/answers/list-query.ts";
import { type PeopleDeps, peopleSite } from "./people-site.ts";

export function home(app: FastifyInstance, deps: PeopleDeps): void {
  const { answers, responder, readListInfo } = deps;
  addRoute(app, "/", responder, async ({ headers, ip }) => {
    const [answer, info] = await Promise.all([answers.list(parseListQuery({}), clientNetwork(ip)), readListInfo()]);
    const list = parseAnswer<PassportList>(answer);
    return pageContent(headers, homePage(peopleSite(deps), { list, ranks: answer.ranks ?? null, info }));
  });
}
