import { type Connection, queryColumn, queryValue } from "#store/engine/database.ts";
import { codeOf, UNDEFINED_TABLE } from "#store/engine/failures.ts";

export type Epoch = { epoch: number; total: number; built_at: Date; build_ms: number; people_change: number };

/** The highest epoch is the current one: its row is committed with its tables. */
export async function findCurrentEpoch(connection: Connection): Promise<Epoch> {
  const { rows } = await connection.query<Epoch>({
    name: "current-epoch",
    text: "select epoch, total, built_at, build_ms, people_change from standing_epoch order by epoch desc limit 1",
  });
  const current = rows[0];
  if (current === undefined) throw new Error("There is no standing. Run `credence standing refresh`.");
  return current;
}

/** When the current standing was built, and the dates of its newest and oldest score. */
export async function findDataAge(
  connection: Connection,
): Promise<{ builtAt: Date; newestScoreAt: Date | null; oldestScoreAt: Date | null }> {
  const { rows } = await connection.query<{
    built_at: Date;
    newest_score_at: Date | null;
    oldest_score_at: Date | null;
  }>({
    name: "data-age",
    text: "select built_at, newest_score_at, oldest_score_at from standing_epoch order by epoch desc limit 1",
  });
  const { built_at = new Date(0), newest_score_at = null, oldest_score_at = null } = rows[0] ?? {};
  return { builtAt: built_at, newestScoreAt: newest_score_at, oldestScoreAt: oldest_score_at };
}

/** True if people have changed since the build of the current epoch began. */
export async function isStandingBehind(connection: Connection): Promise<boolean> {
  return (
    (await queryValue<boolean>(
      connection,
      `select people_change <> (select number from people_change) as behind
     from standing_epoch order by epoch desc limit 1`,
    )) ?? true
  );
}

/**
 * The age in seconds of the first change of people that is not in the list yet, by the database's
 * clock; 0 if there is none. The changes during a build count from its begin, which is `built_at`.
 */
export async function findUnlistedSeconds(connection: Connection): Promise<number> {
  return (
    (await queryValue<number | null>(
      connection,
      `select extract(epoch from clock_timestamp() - greatest(built_at, unlisted_since))::float
       from people_change, (select built_at, people_change from standing_epoch order by epoch desc limit 1) as current
       where people_change.number <> current.people_change`,
    )) ?? 0
  );
}

/** SQL: a row of passport belongs in the standing. */
export const LISTED = "not hidden and not merged and merged_into is null";

export const epochTable = (epoch: number): string => `standing_${Math.trunc(epoch)}`;
/** Tables for keyword search: see standing-search.ts. */
export const namesTable = (epoch: number): string => `${epochTable(epoch)}_names`;
export const keywordsTable = (epoch: number): string => `${epochTable(epoch)}_keywords`;
export const epochTables = (epoch: number): string[] => [epochTable(epoch), namesTable(epoch), keywordsTable(epoch)];

/**
 * Reads from the current epoch. If two switches overtake the reader, its table is gone, and it
 * reads once more from the new epoch: a result always comes from one epoch.
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

/**
 * A range of ranks, by the primary key. Not a named statement: one per epoch would stay on each
 * connection.
 */
export async function listStandingBodies(
  connection: Connection,
  epoch: number,
  firstRank: number,
  lastRank: number,
): Promise<string[]> {
  return queryColumn<string>(
    connection,
    `select body from ${epochTable(epoch)} where rank between $1 and $2 order by rank`,
    [firstRank, lastRank],
  );
}
