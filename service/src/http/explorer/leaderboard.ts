import type { PassportList } from "@credence/contract/answers.ts";
import { leaderboardPage } from "@credence/explorer/people/leaderboard-page.ts";
import type { FastifyInstance } from "fastify";
import { parseAnswer } from "#http/answers/answers.ts";
import { parseListQuery } from "#http/answers/list-query.ts";
import { clientAddress } from "#http/limits/client-address.ts";
import { pageContent } from "#http/pages/page-content.ts";
import { addRoute } from "#http/respond/respond.ts";
import { type ExplorerDeps, peopleSite } from "./people-site.ts";

export function leaderboard(app: FastifyInstance, deps: ExplorerDeps): void {
  const { answers, responder, readAge } = deps;
  addRoute<{ Querystring: Record<string, string> }>(app, "/leaderboard", responder, async ({ headers, ip, query }) => {
    const listQuery = parseListQuery({ keyword: query.keyword, page: query.page });
    const [answer, { builtAt }] = await Promise.all([answers.list(listQuery, clientAddress(ip)), readAge()]);
    const list = parseAnswer<PassportList>(answer);
    const keyword = listQuery.keyword.kind === "all" ? "" : (query.keyword ?? "").trim();
    const page = leaderboardPage(peopleSite(deps), { list, perPage: listQuery.perPage, keyword, builtAt });
    return pageContent(headers, page, isPastTheEnd(list) ? 404 : 200);
  });
}

export const isPastTheEnd = ({ pagination }: PassportList): boolean => pagination.current_page > pagination.last_page;
