import type { Pagination } from "@credence/contract/answers.ts";
import { passportListAnswer } from "@credence/contract/assemble.ts";
import { etagOf } from "@credence/contract/etag.ts";
import type { FastifyInstance } from "fastify";
import { type Answer, listKey, wireOf } from "#http/cache/answer-cache.ts";
import type { Deps } from "#http/deps.ts";
import { foundSender, whenFound } from "#http/respond/send-found.ts";
import { deprecationLinks } from "#http/respond/v1-headers.ts";
import type { Connection } from "#store/engine/database.ts";
import type { Reader } from "#store/serving/reader.ts";
import { type Epoch, LAST_REACHABLE_MATCH, listStandingBodies, readCurrentEpoch } from "#store/standing/epochs.ts";
import { searchStanding } from "#store/standing/standing-search.ts";
import { type ListQuery, type Names, parseListQuery } from "./list-query.ts";
import { pageLinks } from "./page-links.ts";

export const LIST_PASSPORTS = "/api/v1/passports";

export function listPassports(app: FastifyInstance, deps: Deps): void {
  const { config, cache, readers } = deps;
  const sendFound = foundSender(deps, LIST_PASSPORTS);
  const deprecation = deprecationLinks(config);

  async function load(query: ListQuery): Promise<Answer> {
    const reader = readers.current();
    const { bodies, pagination } = await readPage(reader, query);
    const body = passportListAnswer(bodies, pagination);
    const link = [deprecation, ...pageLinks(config.publicUrl + LIST_PASSPORTS, query, pagination)].join(", ");
    const isPastTheEnd = pagination.current_page > pagination.last_page;
    return { wire: wireOf(body), etag: etagOf(body), link, ...(isPastTheEnd && { uncached: true }) };
  }

  app.get<{ Querystring: Record<string, string> }>(LIST_PASSPORTS, (request, reply) => {
    const query = parseListQuery(request.query);
    const { keyword, page, perPage } = query;
    // What matches nobody is not kept: it may be long, and costs nothing.
    const text = keyword.kind === "names" ? keyword.text : "";
    const found = keyword.kind === "nobody" ? load(query) : cache.find(listKey(page, perPage, text), () => load(query));
    whenFound(reply, found, (answer) => sendFound(reply, answer as Answer));
  });
}

type Page = { bodies: string[]; pagination: Pagination };

async function readPage(reader: Reader, query: ListQuery): Promise<Page> {
  const { pages, search, gates } = reader;
  const { keyword } = query;
  if (keyword.kind === "nobody") return { bodies: [], pagination: paginate(query, 0, 0) };
  if (keyword.kind === "everyone") {
    return gates.pages.run(() => readCurrentEpoch(pages, (epoch) => readEveryone(pages, epoch, query)));
  }
  return gates.search.run(() => readCurrentEpoch(search, (epoch) => readMatches(search, epoch, query, keyword)));
}

async function readEveryone(connection: Connection, epoch: Epoch, query: ListQuery): Promise<Page> {
  const skip = (query.page - 1) * query.perPage;
  const past = skip >= epoch.total;
  const bodies = past ? [] : await listStandingBodies(connection, epoch.epoch, skip + 1, skip + query.perPage);
  return { bodies, pagination: paginate(query, epoch.total, epoch.total) };
}

async function readMatches(connection: Connection, epoch: Epoch, query: ListQuery, keyword: Names): Promise<Page> {
  const skip = (query.page - 1) * query.perPage;
  const reach = Math.max(0, LAST_REACHABLE_MATCH - skip);
  const { total, bodies } = await searchStanding(connection, epoch, {
    folded: keyword.folded,
    grams: keyword.grams,
    // Past what can be reached only the total is wanted.
    skip: reach === 0 ? 0 : skip,
    limit: Math.min(query.perPage, reach),
  });
  return { bodies, pagination: paginate(query, total, Math.min(total, LAST_REACHABLE_MATCH)) };
}

function paginate({ page, perPage }: ListQuery, total: number, reachable: number): Pagination {
  return { current_page: page, last_page: Math.max(1, Math.ceil(reachable / perPage)), total };
}
