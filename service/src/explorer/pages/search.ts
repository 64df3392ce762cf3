import type { PassportList } from "@credence/contract/answers.ts";
import { searchPage } from "@credence/explorer/people/search-page.ts";
import type { FastifyInstance } from "fastify";
import { clientNetwork } from "#core/http/connections/client-network.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { parseReference } from "#core/identity/reference.ts";
import { pageContent } from "#explorer/site/page-content.ts";
import { parseAnswer } from "#v1/answers/answers.ts";
import { parseListQuery } from "#v1/answers/list-query.ts";
import { isPastTheEnd } from "./leaderboard.ts";
import { type PeopleDeps, peopleSite, redirectTo } from "./people-site.ts";

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

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
    if (EVM_ADDRESS.test(text) || listQuery.keyword.kind === "all") return pageContent(headers, page(null));
    const list = parseAnswer<PassportList>(await answers.list(listQuery, clientNetwork(ip)));
    return pageContent(headers, page(list), isPastTheEnd(list) ? 404 : 200);
  });
}
