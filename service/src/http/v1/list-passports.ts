import type { Pagination } from "@credence/contract/answers.ts";
import { passportListAnswer } from "@credence/contract/assemble.ts";
import { etagOf } from "@credence/contract/etag.ts";
import type { FastifyInstance } from "fastify";
import { type Answer, listKey, wireOf } from "#http/cache/answer-cache.ts";
import type { Deps } from "#http/deps.ts";
import { addRoute } from "#http/respond/respond.ts";
import type { Connection } from "#store/engine/database.ts";
import type { Reader } from "#store/serving/reader.ts";
import { type Epoch, listStandingBodies, readCurrentEpoch } from "#store/standing/epochs.ts";
import { searchStanding } from "#store/standing/standing-search.ts";
import { answerContent, whenFound } from "./answer-content.ts";
import { type ListQuery, parseListQuery } from "./list-query.ts";
import { pageLinks } from "./page-links.ts";

export const LIST_PASSPORTS = "/api/v1/passports";

export function listPassports(app: FastifyInstance, { config, cache, readers, responder }: Deps): void {
  async function load(query: ListQuery): Promise<Answer> {
    const { bodies, pagination } = await readPage(readers.current(), query);
    const body = passportListAnswer(bodies, pagination);
    const links = pageLinks(config.publicUrl + LIST_PASSPORTS, query, pagination);
    const isPastTheEnd = pagination.current_page > pagination.last_page;
    return {
      wire: wireOf(body),
      etag: etagOf(body),
      ...(links.length > 0 && { links: links.join(", ") }),
      ...(isPastTheEnd && { uncached: true }),
    };
  }

  addRoute<{ Querystring: Record<string, string> }>(app, LIST_PASSPORTS, responder, (request) => {
    const query = parseListQuery(request.query);
    const { keyword, page, perPage } = query;
    // A keyword without possible matches is not cached: it may be long, and needs no query.
    if (keyword.kind === "none") return load(query).then(answerContent);
    const text = keyword.kind === "names" ? keyword.text : "";
    const found = cache.find(listKey(page, perPage, text), () => load(query));
    return whenFound(found, (answer) => answerContent(answer as Answer));
  });
}

type Page = { bodies: string[]; pagination: Pagination };

async function readPage({ pages, search, gates }: Reader, query: ListQuery): Promise<Page> {
  const { keyword } = query;
  if (keyword.kind === "none") return { bodies: [], pagination: paginate(query, 0, 0) };
  if (keyword.kind === "all") {
    return gates.pages.run(() => readCurrentEpoch(pages, (epoch) => readAll(pages, epoch, query)));
  }
  return gates.search.run(() => readCurrentEpoch(search, (epoch) => readMatches(search, epoch, query, keyword.folded)));
}

const skipOf = ({ page, perPage }: ListQuery): number => (page - 1) * perPage;

async function readAll(connection: Connection, { epoch, total }: Epoch, query: ListQuery): Promise<Page> {
  const skip = skipOf(query);
  const bodies = skip >= total ? [] : await listStandingBodies(connection, epoch, skip + 1, skip + query.perPage);
  return { bodies, pagination: paginate(query, total, total) };
}

async function readMatches(connection: Connection, epoch: Epoch, query: ListQuery, folded: string): Promise<Page> {
  const search = { folded, skip: skipOf(query), limit: query.perPage };
  const { total, reachable, bodies } = await searchStanding(connection, epoch, search);
  return { bodies, pagination: paginate(query, total, reachable) };
}

const paginate = ({ page, perPage }: ListQuery, total: number, reachable: number): Pagination => ({
  current_page: page,
  last_page: Math.max(1, Math.ceil(reachable / perPage)),
  total,
});
