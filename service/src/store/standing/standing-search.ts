import type { Connection } from "#store/engine/database.ts";
import { ANCHOR_EVERY, type Epoch, epochTable, IS_LONG_NAME, keywordsTable, namesTable, RANKS_KEPT } from "./epochs.ts";

export type NameSearch = {
  folded: string;
  /** As `gramsOf` makes them. */
  grams: readonly string[];
  skip: number;
  limit: number;
};
export type NameMatches = { total: number; bodies: string[] };

/**
 * People whose folded name holds a text, by rank, and how many they are. What many match is answered from the table of keywords; the
 * rest from the names, where there are few to be found.
 */
export async function searchStanding(connection: Connection, epoch: Epoch, search: NameSearch): Promise<NameMatches> {
  const known = await listKnown(connection, epoch.epoch, [search.folded, ...search.grams]);
  const keyword = known.get(search.folded);
  if (keyword !== undefined) return readKnown(connection, epoch, search, keyword);
  // Runs that few have find them sooner: thousands at most have one that is not in the table.
  const rare = search.grams.filter((gram) => !known.has(gram));
  return findByName(connection, epoch.epoch, search, rare.length > 0 ? rare : search.grams);
}

type KnownKeyword = { keyword: string; people: number };

async function listKnown(
  connection: Connection,
  epoch: number,
  keywords: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await connection.query<KnownKeyword>(
    `select keyword, people from ${keywordsTable(epoch)} where keyword = any ($1)`,
    [keywords],
  );
  return new Map(rows.map((row) => [row.keyword, row.people]));
}

async function readKnown(
  connection: Connection,
  epoch: Epoch,
  search: NameSearch,
  total: number,
): Promise<NameMatches> {
  const { skip, limit } = search;
  if (skip >= total || limit === 0) return { total, bodies: [] };
  if (skip + limit <= RANKS_KEPT || total <= RANKS_KEPT) {
    return { total, bodies: await listByKeptRanks(connection, epoch.epoch, search) };
  }
  // Past the ranks that are kept, either everyone's names are read from the nearest anchor on, or all matches are looked up: the one
  // takes long when matches are far apart, the other when there are many.
  const rowsToWalk = (200 * epoch.total) / total;
  if (6 * total < rowsToWalk) return { ...(await findByName(connection, epoch.epoch, search, search.grams)), total };
  return { total, bodies: await listFromAnchor(connection, epoch.epoch, search) };
}

/** Reads names from the last match before the page whose rank is known. */
async function listFromAnchor(
  connection: Connection,
  epoch: number,
  { folded, skip, limit }: NameSearch,
): Promise<string[]> {
  const place = skip < RANKS_KEPT ? skip : skip - (skip % ANCHOR_EVERY);
  const { rows } = await connection.query<{ body: string }>(
    `select body from ${epochTable(epoch)}
     where strpos(folded_name, $1) > 0 and rank > (
       select case when $2 = 0 then 0
         when $2 <= ${RANKS_KEPT} then ranks[$2] else anchors[($2 - ${RANKS_KEPT}) / ${ANCHOR_EVERY}] end
       from ${keywordsTable(epoch)} where keyword = $1
     )
     order by rank offset $3 limit $4`,
    [folded, place, skip - place, limit],
  );
  return rows.map((row) => row.body);
}

/** By the ranks that are kept with the keyword. */
async function listByKeptRanks(
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

/** The index of grams narrows down, the substring check decides. Long names are read by the partial index that holds them. */
async function findByName(
  connection: Connection,
  epoch: number,
  search: NameSearch,
  grams: readonly string[],
): Promise<NameMatches> {
  const { rows } = await connection.query<NameMatches>(
    `with found as materialized (
       select people, ranks from ${namesTable(epoch)}
       where not (${IS_LONG_NAME}) and grams(folded_name) @> $1 and strpos(folded_name, $2) > 0
       union all
       select people, ranks from ${namesTable(epoch)} where ${IS_LONG_NAME} and strpos(folded_name, $2) > 0
     ),
     page as (select rank from found, unnest(ranks) as rank order by rank offset $3 limit $4)
     select coalesce((select sum(people) from found), 0)::bigint as total,
       array(select body from ${epochTable(epoch)} where rank = any (array(select rank::bigint from page)) order by rank) as bodies`,
    [grams, search.folded, search.skip, search.limit],
  );
  return rows[0] as NameMatches;
}
