import type { Pagination } from "@credence/contract/answers.ts";
import { passportListAnswer } from "@credence/contract/assemble.ts";
import { etagOf } from "@credence/contract/etag.ts";
import type { FastifyInstance } from "fastify";
import type { Deps } from "#http/deps.ts";
import type { Database } from "#store/database.ts";
import { type Epoch, listStandingBodies, readCurrentEpoch, searchStanding } from "#store/standing.ts";
import { cachePolicy } from "./cache-policy.ts";
import { deprecationLinks } from "./headers.ts";
import { type ListQuery, parseListQuery } from "./list-query.ts";
import { pageLinks } from "./page-links.ts";
import { sendFound } from "./send-found.ts";

export const LIST_PASSPORTS = "/api/v1/passports";

/** Matches of a keyword can be reached up to this one; the total stays exact beyond it. */
const LAST_REACHABLE_MATCH = 10_000;

export function listPassports(app: FastifyInstance, { config, database }: Deps): void {
  const policy = cachePolicy(config);
  const deprecation = deprecationLinks(config);

  app.get<{ Querystring: Record<string, string> }>(LIST_PASSPORTS, async (request, reply) => {
    const query = parseListQuery(request.query);
    const { bodies, pagination } = await readCurrentEpoch(database, (epoch) => readPage(database, epoch, query));
    const body = passportListAnswer(bodies, pagination);
    reply.header("link", [deprecation, ...pageLinks(config.publicUrl + LIST_PASSPORTS, query, pagination)].join(", "));
    return sendFound(reply, policy, body, etagOf(body));
  });
}

type Page = { bodies: string[]; pagination: Pagination };

async function readPage(database: Database, epoch: Epoch, query: ListQuery): Promise<Page> {
  const { keyword, page, perPage } = query;
  const skip = (page - 1) * perPage;
  if (keyword.kind === "everyone") {
    const past = skip >= epoch.total;
    const bodies = past ? [] : await listStandingBodies(database, epoch.epoch, skip + 1, skip + perPage);
    return { bodies, pagination: paginate(query, epoch.total, epoch.total) };
  }
  if (keyword.kind === "nobody") return { bodies: [], pagination: paginate(query, 0, 0) };

  const reach = Math.max(0, LAST_REACHABLE_MATCH - skip);
  const { total, bodies } = await searchStanding(database, epoch.epoch, {
    folded: keyword.folded,
    grams: keyword.grams,
    // Past what can be reached only the total is wanted.
    skip: reach === 0 ? 0 : skip,
    limit: Math.min(perPage, reach),
  });
  return { bodies, pagination: paginate(query, total, Math.min(total, LAST_REACHABLE_MATCH)) };
}

function paginate({ page, perPage }: ListQuery, total: number, reachable: number): Pagination {
  return { current_page: page, last_page: Math.max(1, Math.ceil(reachable / perPage)), total };
}
