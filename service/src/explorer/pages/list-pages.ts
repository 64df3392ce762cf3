import type { PassportList, SinglePassport } from "@credence/contract/answers.ts";
import { countRanks } from "@credence/explorer/people/distribution.ts";
import { homePage } from "@credence/explorer/people/home-page.ts";
import { leaderboardPage } from "@credence/explorer/people/leaderboard-page.ts";
import { searchPage } from "@credence/explorer/people/search-page.ts";
import type { FastifyInstance } from "fastify";
import { clientNetwork } from "#core/http/connections/client-network.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { parseReference } from "#core/identity/reference.ts";
import { isEvmAddress } from "#core/identity/wallet-address.ts";
import { pageContent } from "#explorer/site/page-content.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import { parseListQuery } from "#v1/answers/list-query.ts";
import { type PeopleDeps, peopleSite, redirectTo } from "./people-site.ts";
import { readPlace } from "./read-person.ts";

export function home(app: FastifyInstance, deps: PeopleDeps): void {
  const { answers, responder, readListInfo } = deps;
  addRoute(app, "/", responder, async ({ headers, ip }) => {
    const [answer, info] = await Promise.all([answers.list(parseListQuery({}), clientNetwork(ip)), readListInfo()]);
    const list = parseAnswer<PassportList>(answer);
    return pageContent(headers, homePage(peopleSite(deps), { list, ranks: answer.ranks ?? null, info }));
  });
}

/** A wallet or a number that is found leads to its passport. Any other text is searched for in names. */
export function search(app: FastifyInstance, deps: PeopleDeps): void {
  const { answers, responder, site } = deps;
  addRoute<{ Querystring: Record<string, string> }>(app, "/search", responder, async ({ headers, ip, query }) => {
    const text = (query.q ?? "").trim();
    const reference = parseReference(text);
    const found = reference === null ? null : await answers.passport(reference);
    if (found !== null) return redirectTo(`${site.basePath}/passports/${found.passportId}`);
    const page = (list: PassportList | null) => searchPage(peopleSite(deps), { query: text, list });
    const listQuery = parseListQuery({ keyword: text, page: query.page });
    // No name has the form of an EVM address.
    if (isEvmAddress(text) || listQuery.keyword.kind === "all") return pageContent(headers, page(null));
    const list = parseAnswer<PassportList>(await answers.list(listQuery, clientNetwork(ip)));
    return pageContent(headers, page(list), isPastTheEnd(list) ? 404 : 200);
  });
}

export function leaderboard(app: FastifyInstance, deps: PeopleDeps): void {
  const { answers, responder, readListInfo, site } = deps;
  addRoute<{ Querystring: Record<string, string> }>(app, "/leaderboard", responder, async ({ headers, ip, query }) => {
    const client = clientNetwork(ip);
    const { perPage, ...asked } = parseListQuery({ keyword: query.keyword, page: query.page });
    const rank = query.rank === undefined ? undefined : readRank(query.rank);
    const lastPage = typeof rank === "number" ? await pagePast(rank, perPage, deps) : null;
    if (rank !== undefined && lastPage === null) return redirectTo(site.basePath + pathOfRank(rank, perPage));
    const path = await pathOfWallet(deps, query.keyword, perPage, client);
    if (path !== null) return redirectTo(site.basePath + path);

    const page = lastPage ?? asked.page;
    const [answer, info] = await Promise.all([answers.list({ ...asked, page, perPage }, client), readListInfo()]);
    const list = parseAnswer<PassportList>(answer);
    const keyword = asked.keyword.kind === "all" ? "" : (query.keyword ?? "").trim();
    const view = { list, ranks: answer.ranks ?? null, perPage, keyword, isPastRanks: lastPage !== null, info };
    return pageContent(headers, leaderboardPage(peopleSite(deps), view), isPastTheEnd(list) ? 404 : 200);
  });
}

/** The last page, for a rank that nobody has; null for others. */
async function pagePast(rank: number, perPage: number, { readListInfo }: PeopleDeps): Promise<number | null> {
  const info = await readListInfo();
  return rank > countRanks(info) ? Math.max(1, Math.ceil(info.total / perPage)) : null;
}

/** Null for text that is no rank. */
const readRank = (text: string): number | null => (/^\s*\d{1,15}\s*$/.test(text) ? Math.max(1, Number(text)) : null);

/** The page with a rank; the first for other text. */
function pathOfRank(rank: number | null, perPage: number): string {
  if (rank === null) return "/leaderboard";
  const page = Math.ceil(rank / perPage);
  return `/leaderboard${page === 1 ? "" : `?page=${page}`}#r${rank}`;
}

/** The row of a wallet, or its passport if that has no rank. Null for a name, and for an unknown wallet. */
async function pathOfWallet(deps: PeopleDeps, text: string | undefined, perPage: number, client: string) {
  const reference = parseReference(text?.trim() ?? "");
  if (reference?.kind !== "wallet") return null;
  const answer = await deps.answers.passport(reference);
  if (answer === null) return null;
  const { passport } = parseAnswer<SinglePassport>(answer);
  const place = await readPlace(deps, passport, client);
  return place === null ? `/passports/${passport.passport_id}` : pathOfRank(place.rank, perPage);
}

const isPastTheEnd = ({ pagination }: PassportList): boolean => pagination.current_page > pagination.last_page;
