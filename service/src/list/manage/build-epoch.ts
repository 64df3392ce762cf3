import pg from "pg";
import { copyEncoded, copyOut, encodeRow } from "#core/database/copy.ts";
import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";
import { isLockedOrDenied } from "#core/database/failures.ts";
import { tryLock } from "#core/database/locks.ts";
import { notifyStandingChanged } from "#core/database/notices.ts";
import { epochTable, epochTables, keywordsTable, LISTED, namesTable } from "#list/epochs.ts";
import { IS_LONG_NAME, REACH, SEARCHED_CODE_POINTS } from "#list/search/heavy-keywords.ts";

/** Measured: with PostgreSQL's default, sorting ten million people takes three times as long. */
const SORT_MEMORY = "256MB";

/** The number of the newest epoch, 0 without one. */
export async function findLastEpochNumber(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ last: number | null }>("select max(epoch) as last from standing_epoch");
  return rows[0]?.last ?? 0;
}

/**
 * Creates the table of a new epoch with all people of the standing in rank order, and returns their
 * number. One scan of person and passport_document: `create table as` sorts in parallel, `insert`
 * does not. Indexes are created afterwards.
 */
export async function buildEpochTable(connection: Connection, epoch: number): Promise<number> {
  const table = epochTable(epoch);
  // Left by a build that was interrupted: a table without a row in standing_epoch.
  await connection.query(`drop table if exists ${table}`);
  await connection.query(`set local work_mem = '${SORT_MEMORY}'`);
  const filled = await connection.query(
    `create table ${table} as
     select row_number() over (order by score desc nulls last, passport_id) as rank, passport_id, score, body,
       left(folded_name, ${SEARCHED_CODE_POINTS}) as folded_name
     from ${LISTED}`,
  );
  await giveToOwner(connection, table);
  await connection.query(`alter table ${table} add primary key (rank)`);
  await connection.query(`create index ${table}_passport on ${table} (passport_id)`);
  await connection.query(`analyze ${table}`);
  await grantEpoch(connection, table);
  return filled.rowCount ?? 0;
}

/**
 * Creates the names table: each distinct name with the ranks of its people, indexed by grams. It is
 * a fifteenth of the epoch's table, so that searches stay in memory.
 */
export async function buildNames(connection: Connection, epoch: number): Promise<void> {
  const table = namesTable(epoch);
  await connection.query(`drop table if exists ${table}`);
  await connection.query(`create table ${table} (like standing_names including storage)`);
  await giveToOwner(connection, table);
  await connection.query(
    `insert into ${table} (folded_name, people, ranks)
     select folded_name, count(*), (array_agg(rank order by rank))[:${REACH}]
     from ${epochTable(epoch)} where folded_name is not null group by folded_name`,
  );
  await connection.query(`create index ${table}_name on ${table} using hash (folded_name)`);
  await connection.query(
    `create index ${table}_grams on ${table} using gin (grams (folded_name)) where not (${IS_LONG_NAME})`,
  );
  await connection.query(`create index ${table}_long on ${table} (people) where ${IS_LONG_NAME}`);
  await connection.query(`analyze ${table}`);
  await grantEpoch(connection, table);
}

export type NewKeyword = { keyword: string; people: number; ranks: readonly number[]; anchors: readonly number[] };

/** Creates the keywords table, with the heavy keywords. */
export async function buildKeywords(
  connection: Connection,
  epoch: number,
  keywords: Iterable<NewKeyword>,
): Promise<void> {
  const table = keywordsTable(epoch);
  await connection.query(`drop table if exists ${table}`);
  await connection.query(`create table ${table} (like standing_keywords including storage)`);
  await giveToOwner(connection, table);
  const rows = Iterator.from(keywords).map(({ keyword, people, ranks, anchors }) =>
    encodeRow([keyword, people, printNumbers(ranks), printNumbers(anchors)]),
  );
  await copyEncoded(connection, `${table} (keyword, people, ranks, anchors)`, rows);
  await connection.query(`alter table ${table} add primary key (keyword)`);
  await connection.query(`analyze ${table}`);
  await grantEpoch(connection, table);
}

const printNumbers = (numbers: readonly number[]): string => `{${numbers.join(",")}}`;

/** The distinct names of an epoch, each with the number of its people. */
export function readNames(connection: Connection, epoch: number): AsyncGenerator<(string | null)[][]> {
  return copyOut(connection, `select folded_name, people from ${namesTable(epoch)}`);
}

/** All names in order of rank. Ranks are 1, 2, 3, … in a new epoch. */
export function readNamesByRank(connection: Connection, epoch: number): AsyncGenerator<(string | null)[][]> {
  return copyOut(connection, `select folded_name from ${epochTable(epoch)} order by rank`);
}

/**
 * The owner of the other tables must be able to correct and drop it, even if a superuser builds it.
 */
async function giveToOwner(connection: Connection, table: string): Promise<void> {
  const owners = await queryColumn<string>(
    connection,
    `select rolname from pg_class join pg_roles on pg_roles.oid = relowner
     where pg_class.oid = 'standing'::regclass and rolname <> current_user`,
  );
  for (const owner of owners) await connection.query(`alter table ${table} owner to ${pg.escapeIdentifier(owner)}`);
}

/** Roles that may read standing_epoch may read the tables of the epoch. */
async function grantEpoch(connection: Connection, table: string): Promise<void> {
  const readers = await queryColumn<string>(
    connection,
    `select rolname from pg_class, aclexplode(relacl) join pg_roles on pg_roles.oid = grantee
     where pg_class.oid = 'standing_epoch'::regclass and privilege_type = 'SELECT' and grantee <> relowner`,
  );
  for (const reader of readers) await connection.query(`grant select on ${table} to ${pg.escapeIdentifier(reader)}`);
}

export type NewEpoch = {
  epoch: number;
  total: number;
  build_ms: number;
  people_change: number;
  /** Null with too few scores. */
  cuts: number[] | null;
};

/** With one scan of person and passport_document: the ages of the scores, and the people in each bin. */
export async function insertEpoch(connection: Connection, epoch: NewEpoch): Promise<void> {
  const step = epoch.cuts && stepFor(epoch.cuts[REACHED_PERCENT - 1] as number);
  const bounds = step && Array.from({ length: BINS - 1 }, (_, index) => (index + 1) * step);
  await connection.query(
    `with bins as (
       select width_bucket(score, $7::double precision[]) as bin, count(*)::integer as people,
         max(last_calculated_at) as newest_score_at, min(last_calculated_at) as oldest_score_at
       from ${LISTED} group by bin
     ), people_by_bin as (
       select array_agg(coalesce(people, 0) order by number) as bins
       from generate_series(0, ${BINS - 1}) as number left join bins on bin = number
     )
     insert into standing_epoch (
       epoch, total, built_at, build_ms, people_change, newest_score_at, oldest_score_at, score_step, score_bins, score_cuts
     )
     select $1, $2, now(), $3, $4, max(newest_score_at), min(oldest_score_at), $5,
       case when $5::double precision is not null then (select bins from people_by_bin) end, $6
     from bins`,
    [epoch.epoch, epoch.total, epoch.build_ms, epoch.people_change, step, epoch.cuts, bounds],
  );
  await notifyStandingChanged(connection);
}

const BINS = 21;
/** All bins but the last reach the score that this share of the scores does not exceed. */
const REACHED_PERCENT = 95;
const MIN_SCORES = 20;
const MIN_STEP = 0.01;

/** The smallest 1, 2 or 5 times a power of ten with which the bins reach a score. */
function stepFor(score: number): number {
  const minimum = score > 0 ? Math.max(MIN_STEP, score / (BINS - 1)) : 1;
  const power = 10 ** Math.floor(Math.log10(minimum));
  return ([1, 2, 5].find((factor) => factor * power >= minimum) ?? 10) * power;
}

/**
 * The scores that 1 % to 99 % of the scores of a new epoch do not exceed; null with too few scores.
 * They are read at their ranks, so nothing is sorted.
 */
export async function findCuts(connection: Connection, epoch: number, total: number): Promise<number[] | null> {
  const scores = await findLastScoredRank(connection, epoch, total);
  if (scores < MIN_SCORES) return null;
  const ranks = Array.from({ length: 99 }, (_, index) => scores - Math.ceil(((index + 1) * scores) / 100) + 1);
  return queryColumn<number>(
    connection,
    `select score from unnest($1::bigint[]) with ordinality as cut (rank, percent)
       join ${epochTable(epoch)} using (rank) order by percent`,
    [ranks],
  );
}

/** People without a score are last. */
async function findLastScoredRank(connection: Connection, epoch: number, total: number): Promise<number> {
  let [low, high] = [0, total];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const score = await queryValue<number | null>(
      connection,
      `select score from ${epochTable(epoch)} where rank = $1`,
      [middle],
    );
    if (score === null) high = middle - 1;
    else low = middle;
  }
  return low;
}

/** All epochs but the current and the previous one. */
export async function listPastEpochs(connection: Connection): Promise<number[]> {
  return queryColumn<number>(connection, "select epoch from standing_epoch order by epoch desc offset 2");
}

/**
 * Drops the tables of an epoch, in the caller's transaction. A drop waits for readers and blocks
 * new ones, so it gives up after 50 ms and returns false, as it does if the tables belong to
 * another role or are being corrected. The next build retries.
 */
export async function dropEpoch(connection: Connection, epoch: number): Promise<boolean> {
  await connection.query("set local lock_timeout = '50ms'");
  if (!(await tryLock(connection, "epochs"))) return false;
  try {
    await connection.query("savepoint drop_epoch");
    await connection.query(`drop table if exists ${epochTables(epoch).join(", ")}`);
    await connection.query("delete from standing_epoch where epoch = $1", [epoch]);
    return true;
  } catch (error) {
    if (!isLockedOrDenied(error)) throw error;
    await connection.query("rollback to savepoint drop_epoch");
    return false;
  }
}
