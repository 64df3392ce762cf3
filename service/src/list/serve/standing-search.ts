import { type Connection, queryValue } from "#core/database/database.ts";
import { type Epoch, epochTable, JOINED_BODIES, keywordsTable, namesTable } from "#list/epochs.ts";
import { gramsOf } from "#list/search/grams.ts";
import {
  ANCHOR_EVERY,
  IS_LONG_NAME,
  planSearch,
  REACH,
  type SearchRequest,
  STORED_RANKS,
} from "#list/search/heavy-keywords.ts";

export type NameSearch = { folded: string; skip: number; limit: number };
/**
 * `reachable` is the number of matches that a client can page to. `items` are JSON, with commas between
 * them.
 */
export type NameMatches = { total: number; reachable: number; items: string };

/**
 * Returns a page of the people whose folded name contains a text, by rank, and the number of
 * matches.
 */
export async function searchStanding(
  connection: Connection,
  epoch: Epoch,
  { folded, skip, limit }: NameSearch,
): Promise<NameMatches> {
  // The page ends at the reach.
  const search = { folded, grams: gramsOf(folded), skip, limit: Math.min(limit, Math.max(0, REACH - skip)) };
  const { total, items } = await runSearch(connection, epoch, search);
  return { total, reachable: Math.min(total, REACH), items };
}

type Found = Pick<NameMatches, "total" | "items">;

async function runSearch(connection: Connection, epoch: Epoch, search: SearchRequest): Promise<Found> {
  const heavy = await listHeavy(connection, epoch.epoch, [search.folded, ...search.grams]);
  const plan = planSearch(search, heavy, epoch.total);
  switch (plan.by) {
    case "count":
      return { total: plan.total, items: "" };
    case "ranks":
      return { total: plan.total, items: await findByStoredRanks(connection, epoch.epoch, search) };
    case "anchor":
      return { total: plan.total, items: await findFromAnchor(connection, epoch.epoch, search, plan.afterMatch) };
    case "names":
      return findByName(connection, epoch.epoch, search, plan.grams);
  }
}

/**
 * Returns which of these texts are heavy keywords, with the number of people. By the primary key.
 */
async function listHeavy(
  connection: Connection,
  epoch: number,
  texts: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await connection.query<{ keyword: string; people: number }>(
    `select keyword, people from ${keywordsTable(epoch)} where keyword = any ($1)`,
    [texts],
  );
  return new Map(rows.map((row) => [row.keyword, row.people]));
}

/** Lists a page by the ranks that are stored with the keyword. */
async function findByStoredRanks(
  connection: Connection,
  epoch: number,
  { folded, skip, limit }: NameSearch,
): Promise<string> {
  return queryValue<string>(
    connection,
    `select ${JOINED_BODIES} from ${epochTable(epoch)}
     where rank = any ((select ranks[$2 + 1 : $2 + $3] from ${keywordsTable(epoch)} where keyword = $1)::bigint[])`,
    [folded, skip, limit],
  );
}

/**
 * Lists a page by reading the epoch in order of rank, after match `afterMatch`, whose rank is
 * stored.
 */
async function findFromAnchor(
  connection: Connection,
  epoch: number,
  { folded, skip, limit }: NameSearch,
  afterMatch: number,
): Promise<string> {
  return queryValue<string>(
    connection,
    `select ${JOINED_BODIES} from (
     select rank, body from ${epochTable(epoch)}
     where strpos(folded_name, $1) > 0 and rank > (
       select case when $2 = 0 then 0
         when $2 <= ${STORED_RANKS} then ranks[$2] else anchors[($2 - ${STORED_RANKS}) / ${ANCHOR_EVERY}] end
       from ${keywordsTable(epoch)} where keyword = $1
     )
     order by rank offset $3 limit $4) as page`,
    [folded, afterMatch, skip - afterMatch, limit],
  );
}

/** Searches the names table: the gram index finds candidates, `strpos` checks them. */
async function findByName(
  connection: Connection,
  epoch: number,
  { folded, skip, limit }: NameSearch,
  grams: readonly string[],
): Promise<Found> {
  const { rows } = await connection.query<Found>(
    `with found as materialized (
       select people, ranks from ${namesTable(epoch)}
       where not (${IS_LONG_NAME}) and grams(folded_name) @> $1 and strpos(folded_name, $2) > 0
       union all
       select people, ranks from ${namesTable(epoch)} where ${IS_LONG_NAME} and strpos(folded_name, $2) > 0
     ),
     page as (select rank from found, unnest(ranks) as rank order by rank offset $3 limit $4)
     select coalesce((select sum(people) from found), 0)::bigint as total,
       (select ${JOINED_BODIES} from ${epochTable(epoch)} where rank = any (array(select rank::bigint from page))) as items`,
    [grams, folded, skip, limit],
  );
  return rows[0] as Found;
}
