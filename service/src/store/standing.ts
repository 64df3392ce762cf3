import type { Connection } from "./database.ts";
import { codeOf, UNDEFINED_TABLE } from "./failures.ts";

export type Epoch = { epoch: number; total: number; built_at: Date; build_ms: number };

/** The highest epoch is the current one: its row appears in the transaction that finishes its table. */
export async function findCurrentEpoch(connection: Connection): Promise<Epoch> {
  const { rows } = await connection.query<Epoch>({
    name: "current-epoch",
    text: "select epoch, total, built_at, build_ms from standing_epoch order by epoch desc limit 1",
  });
  const current = rows[0];
  if (current === undefined) throw new Error("There is no standing. Run `credence standing refresh`.");
  return current;
}

/** True when people have changed since the standing was begun. */
export async function isStandingBehind(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ behind: boolean }>(
    `select people_change <> (select number from people_change) as behind
     from standing_epoch order by epoch desc limit 1`,
  );
  return rows[0]?.behind ?? true;
}

/** SQL that tells of a row of passport whether it belongs on the list. */
export const LISTED = "not hidden and not merged and merged_into is null";

export const epochTable = (epoch: number): string => `standing_${Math.trunc(epoch)}`;

/**
 * Reads from the current epoch. A reader that is overtaken by two switches finds its table gone, and reads once more from
 * the new one: everything `read` returns comes from one and the same epoch.
 */
export async function readCurrentEpoch<Result>(
  connection: Connection,
  read: (epoch: Epoch) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(await findCurrentEpoch(connection));
  } catch (error) {
    if (codeOf(error) !== UNDEFINED_TABLE) throw error;
    return await read(await findCurrentEpoch(connection));
  }
}

/** A range of ranks, by the primary key. Unnamed: a named statement of every epoch would stay on its connection. */
export async function listStandingBodies(
  connection: Connection,
  epoch: number,
  firstRank: number,
  lastRank: number,
): Promise<string[]> {
  const { rows } = await connection.query<{ body: string }>(
    `select body from ${epochTable(epoch)} where rank between $1 and $2 order by rank`,
    [firstRank, lastRank],
  );
  return rows.map((row) => row.body);
}

export type NameSearch = { folded: string; grams: readonly string[]; skip: number; limit: number };

/** People whose folded name holds a text, by rank. The gram index narrows down, the substring check decides. */
export async function searchStanding(
  connection: Connection,
  epoch: number,
  search: NameSearch,
): Promise<{ total: number; bodies: string[] }> {
  const table = epochTable(epoch);
  const { rows } = await connection.query<{ total: number; bodies: string[] }>(
    `with found as materialized (
       select rank from ${table} where grams(folded_name) @> $1 and strpos(folded_name, $2) > 0
     ),
     page as (select rank from found order by rank offset $3 limit $4)
     select (select count(*) from found) as total,
       array(select body from page join ${table} using (rank) order by rank) as bodies`,
    [search.grams, search.folded, search.skip, search.limit],
  );
  return rows[0] as { total: number; bodies: string[] };
}
