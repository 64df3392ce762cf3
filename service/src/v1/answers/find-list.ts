import { etagOf, passportListAnswer } from "@credence/contract/answer-bytes.ts";
import type { Pagination } from "@credence/contract/answers.ts";
import type { Connection } from "#core/database/database.ts";
import { wireOf } from "#core/http/respond/content.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import type { Reader } from "#core/readers/open-reader.ts";
import { type Epoch, findStandingPage, readCurrentEpoch } from "#list/epochs.ts";
import { searchStanding } from "#list/serve/standing-search.ts";
import { type Answer, type AnswerCache, listKey } from "#v1/cache/answer-cache.ts";
import type { ListQuery } from "./list-query.ts";
import { pageLinks } from "./page-links.ts";

/** Finds the answer for a page of the list. `client` is who asked: see fair-queue.ts. */
export type FindList = (query: ListQuery, client: string) => Answer | Promise<Answer>;

export function createFindList(cache: AnswerCache, readers: Readers): FindList {
  async function load(query: ListQuery, client: string): Promise<Answer> {
    const { items, ranks, pagination } = await readPage(readers.current(), query, client);
    const body = passportListAnswer(items, pagination);
    const wire = wireOf(body);
    const links = pageLinks(query, pagination);
    return {
      wire,
      // A large page is encoded only once.
      etag: etagOf(typeof wire === "string" ? body : wire),
      ...(links.length > 0 && { links }),
      ...(ranks && { ranks }),
    };
  }

  return (query, client) => {
    const { keyword, page, perPage } = query;
    // A keyword without possible matches is not cached: it may be long, and needs no query.
    if (keyword.kind === "none") return load(query, client);
    const text = keyword.kind === "names" ? keyword.text : "";
    // A list is never null.
    return cache.find(listKey(page, perPage, text), () => load(query, client)) as Answer | Promise<Answer>;
  };
}

/** `ranks` is set if people were removed from this page since the list was built. */
type Page = { items: string; ranks?: number[]; pagination: Pagination };

async function readPage({ pages, search, fairQueues }: Reader, query: ListQuery, client: string): Promise<Page> {
  const { keyword } = query;
  if (keyword.kind === "none") return { items: "", pagination: paginate(query, 0, 0) };
  if (keyword.kind === "all") {
    return fairQueues.pages.run(client, () => readCurrentEpoch(pages, (epoch) => readAll(pages, epoch, query)));
  }
  return fairQueues.search.run(client, () =>
    readCurrentEpoch(search, (epoch) => readMatches(search, epoch, query, keyword.folded)),
  );
}

const skipOf = ({ page, perPage }: ListQuery): number => (page - 1) * perPage;

async function readAll(connection: Connection, { epoch, total }: Epoch, query: ListQuery): Promise<Page> {
  const skip = skipOf(query);
  const pagination = paginate(query, total, total);
  if (skip >= total) return { items: "", pagination };
  const { items, ranks } = await findStandingPage(connection, epoch, skip + 1, skip + query.perPage);
  return { items, ...(ranks !== null && { ranks }), pagination };
}

async function readMatches(connection: Connection, epoch: Epoch, query: ListQuery, folded: string): Promise<Page> {
  const search = { folded, skip: skipOf(query), limit: query.perPage };
  const { total, reachable, items } = await searchStanding(connection, epoch, search);
  return { items, pagination: paginate(query, total, reachable) };
}

const paginate = ({ page, perPage }: ListQuery, total: number, reachable: number): Pagination => ({
  current_page: page,
  last_page: Math.max(1, Math.ceil(reachable / perPage)),
  total,
});
