import { gramsOf } from "#search/grams.ts";
import {
  ANCHOR_EVERY,
  MAX_INDEXED_CODE_POINTS,
  type PlannedSearch,
  planSearch,
  REACH,
  STORED_RANKS,
} from "#search/heavy-keywords.ts";
import type { Connection } from "#store/engine/database.ts";
import { type Epoch, epochTable, keywordsTable, namesTable } from "./epochs.ts";

export type NameSearch = { folded: string; skip: number; limit: number };
/** `reachable` is how many of the matches pages can show. */
export type NameMatches = { total: number; reachable: number; bodies: string[] };

/** SQL for names that are too long for the index of grams. */
export const IS_LONG_NAME = `char_length(folded_name) > ${MAX_INDEXED_CODE_POINTS}`;

/** A page of the people whose folded name contains a text, by rank, and their number. */
export async function searchStanding(
  connection: Connection,
  epoch: Epoch,
  { folded, skip, limit }: NameSearch,
): Promise<NameMatches> {
  const search = { folded, grams: gramsOf(folded), skip, limit: Math.min(limit, Math.max(0, REACH - skip)) };
  const { total, bodies } = await runSearch(connection, epoch, search);
  return { total, reachable: Math.min(total, REACH), bodies };
}

async function runSearch(
  connection: Connection,
  epoch: Epoch,
  search: PlannedSearch,
): Promise<{ total: number; bodies: string[] }> {
  const heavy = await listHeavy(connection, epoch.epoch, [search.folded, ...search.grams]);
  const plan = planSearch(search, heavy, epoch.total);
  switch (plan.by) {
    case "total":
      return { total: plan.total, bodies: [] };
    case "ranks":
      return { total: plan.total, bodies: await listByStoredRanks(connection, epoch.epoch, search) };
    case "anchor":
      return { total: plan.total, bodies: await listFromAnchor(connection, epoch.epoch, search, plan.fromMatch) };
    case "names": {
      const found = await findByName(connection, epoch.epoch, search, plan.grams);
      // Corrections change names at once, and the totals of heavy keywords with the next epoch.
      return { ...found, total: plan.total ?? found.total };
    }
  }
}

/** Of these texts, the heavy keywords, with the number of people. By the primary key. */
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

/** By the ranks in the keyword's row. */
async function listByStoredRanks(
  connection: Connection,
  epoch: number,
  { folded, skip, limit }: NameSearch,
): Promise<string[]> {
  const { rows } = await connection.query<{ body: string }>(
    `select body from ${epochTable(epoch)}
     where rank = any ((select ranks[$2 + 1 : $2 + $3] from ${keywordsTable(epoch)} where keyword = $1)::bigint[])
     order by rank`,
    [folded, skip, limit],
  );
  return rows.map((row) => row.body);
}

/** Reads the epoch in order, after the match whose rank is known. */
async function listFromAnchor(
  connection: Connection,
  epoch: number,
  { folded, skip, limit }: NameSearch,
  fromMatch: number,
): Promise<string[]> {
  const { rows } = await connection.query<{ body: string }>(
    `select body from ${epochTable(epoch)}
     where strpos(folded_name, $1) > 0 and rank > (
       select case when $2 = 0 then 0
         when $2 <= ${STORED_RANKS} then ranks[$2] else anchors[($2 - ${STORED_RANKS}) / ${ANCHOR_EVERY}] end
       from ${keywordsTable(epoch)} where keyword = $1
     )
     order by rank offset $3 limit $4`,
    [folded, fromMatch, skip - fromMatch, limit],
  );
  return rows.map((row) => row.body);
}

/**
 * The index of grams finds candidates, the substring check decides. Long names come from a partial
 * index.
 */
async function findByName(
  connection: Connection,
  epoch: number,
  { folded, skip, limit }: NameSearch,
  grams: readonly string[],
): Promise<{ total: number; bodies: string[] }> {
  const { rows } = await connection.query<{ total: number; bodies: string[] }>(
    `with found as materialized (
       select people, ranks from ${namesTable(epoch)}
       where not (${IS_LONG_NAME}) and grams(folded_name) @> $1 and strpos(folded_name, $2) > 0
       union all
       select people, ranks from ${namesTable(epoch)} where ${IS_LONG_NAME} and strpos(folded_name, $2) > 0
     ),
     page as (select rank from found, unnest(ranks) as rank order by rank offset $3 limit $4)
     select coalesce((select sum(people) from found), 0)::bigint as total,
       array(select body from ${epochTable(epoch)} where rank = any (array(select rank::bigint from page)) order by rank) as bodies`,
    [grams, folded, skip, limit],
  );
  return rows[0] as { total: number; bodies: string[] };
}
