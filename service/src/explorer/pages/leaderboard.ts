import type { PassportList } from "@credence/contract/answers.ts";
import { leaderboardPage } from "@credence/explorer/people/leaderboard-page.ts";
import type { FastifyInstance } from "fastify";
import { clientNetwork } from "#core/http/connections/client-network.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { pageContent } from "#explorer/site/page-content.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import { parseListQuery } from "#v1/answers/list-query.ts";
import { type PeopleDeps, peopleSite, redirectTo } from "./people-site.ts";

export function leaderboard(app: FastifyInstance, deps: PeopleDeps): void {
  const { answers, responder, readListInfo, site } = deps;
  addRoute<{ Querystring: Record<string, string> }>(app, "/leaderboard", responder, async ({ headers, ip, query }) => {
    const listQuery = parseListQuery({ keyword: query.keyword, page: query.page });
    const { perPage } = listQuery;
    if (query.rank !== undefined)
      return redirectTo(site.basePath + pathOfRank(query.rank, (await readListInfo()).total, perPage));
    const [answer, info] = await Promise.all([answers.list(listQuery, clientNetwork(ip)), readListInfo()]);
    const list = parseAnswer<PassportList>(answer);
    const keyword = listQuery.keyword.kind === "all" ? "" : (query.keyword ?? "").trim();
    const view = { list, ranks: answer.ranks ?? null, perPage, keyword, info };
    return pageContent(headers, leaderboardPage(peopleSite(deps), view), isPastTheEnd(list) ? 404 : 200);
  });
}

/** The page with a rank; the last page for a rank beyond the end, the first for other text. */
function pathOfRank(text: string, total: number, perPage: number): string {
  const rank = /^\s*\d{1,15}\s*$/.test(text) ? Math.min(Math.max(1, Number(text)), Math.max(1, total)) : null;
  if (rank === null) return "/leaderboard";
  const page = Math.ceil(rank / perPage);
  return `/leaderboard${page === 1 ? "" : `?page=${page}`}#r${rank}`;
}

export const isPastTheEnd = ({ pagination }: PassportList): boolean => pagination.current_page > pagination.last_page;
