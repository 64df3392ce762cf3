import { REACH, SEARCHED_CODE_POINTS } from "#search/heavy-keywords.ts";
import { tellOfList } from "#store/engine/change-notices.ts";
import { copyOut, copyPrinted, printRow } from "#store/engine/copy.ts";
import type { Connection } from "#store/engine/database.ts";
import { isNotNow } from "#store/engine/failures.ts";
import { tryLock } from "#store/engine/locks.ts";
import { epochTable, epochTables, keywordsTable, LISTED, namesTable } from "./epochs.ts";
import { IS_LONG_NAME } from "./standing-search.ts";

/** With PostgreSQL's default, sorting ten million people took three times as long. */
const SORT_MEMORY = "256MB";

/** The number of the newest epoch; 0 when there has been none. */
export async function findLastEpochNumber(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ last: number | null }>("select max(epoch) as last from standing_epoch");
  return rows[0]?.last ?? 0;
}

/**
 * Writes everyone listed into the table of a new epoch, in rank order, and returns how many they are. Nobody sees the
 * table before the transaction ends. One pass over passport and passport_document, sorted by several processes, as only making a
 * table of a query can be; that it lies in rank order is not relied upon. The keys follow when it is full.
 */
export async function buildEpochTable(connection: Connection, epoch: number): Promise<number> {
  const table = epochTable(epoch);
  // A table without its row is nobody's.
  await connection.query(`drop table if exists ${table}`);
  await connection.query(`set local work_mem = '${SORT_MEMORY}'`);
  await connection.query("set local default_toast_compression = 'lz4'");
  const filled = await connection.query(
    `create table ${table} as
     select row_number() over (order by score desc nulls last, passport_id) as rank, passport_id, body,
       left(folded_name, ${SEARCHED_CODE_POINTS}) as folded_name
     from passport join passport_document using (passport_id)
     where ${LISTED}`,
  );
  await giveToOwner(connection, table);
  await connection.query(`alter table ${table} add primary key (rank)`);
  await connection.query(`create index ${table}_passport on ${table} (passport_id)`);
  await connection.query(`analyze ${table}`);
  await grantEpoch(connection, table);
  return filled.rowCount ?? 0;
}

/**
 * Writes the names of an epoch, each once, with the ranks of those who have it, and indexes them by their runs of one to three characters.
 * A table of their own, as it is a fifteenth of the epoch's: a search stays in memory.
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

/** Writes the keywords of an epoch that are answered from a table: what more than a few have in their names. */
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
    printRow([keyword, people, printNumbers(ranks), printNumbers(anchors)]),
  );
  await copyPrinted(connection, `${table} (keyword, people, ranks, anchors)`, rows);
  await connection.query(`alter table ${table} add primary key (keyword)`);
  await connection.query(`analyze ${table}`);
  await grantEpoch(connection, table);
}

const printNumbers = (numbers: readonly number[]): string => `{${numbers.join(",")}}`;

/** The names of an epoch that is being built, each with how many people have it. */
export function readNames(connection: Connection, epoch: number): AsyncGenerator<(string | null)[][]> {
  return copyOut(connection, `select folded_name, people from ${namesTable(epoch)}`);
}

/** Everyone's name, in the order of their ranks, which are 1, 2, 3, … while nobody has been taken out. */
export function readNamesByRank(connection: Connection, epoch: number): AsyncGenerator<(string | null)[][]> {
  return copyOut(connection, `select folded_name from ${epochTable(epoch)} order by rank`);
}

/** Whoever builds it, even a superuser: the owner of the tables must be able to correct and to drop it. */
async function giveToOwner(connection: Connection, table: string): Promise<void> {
  const { rows } = await connection.query<{ statement: string }>(
    `select format('alter table ${table} owner to %s', relowner::regrole) as statement
     from pg_class where oid = 'standing'::regclass and relowner <> current_user::regrole`,
  );
  for (const { statement } of rows) await connection.query(statement);
}

/** Whoever may read the pointer may read what it points to. */
async function grantEpoch(connection: Connection, table: string): Promise<void> {
  const { rows } = await connection.query<{ statement: string }>(
    `select format('grant select on ${table} to %s', grantee::regrole) as statement
     from pg_class, aclexplode(relacl)
     where oid = 'standing_epoch'::regclass and privilege_type = 'SELECT' and grantee not in (0, relowner)`,
  );
  for (const { statement } of rows) await connection.query(statement);
}

export type NewEpoch = { epoch: number; total: number; build_ms: number; people_change: number };

export async function insertEpoch(connection: Connection, epoch: NewEpoch): Promise<void> {
  await connection.query(
    "insert into standing_epoch (epoch, total, built_at, build_ms, people_change) values ($1, $2, now(), $3, $4)",
    [epoch.epoch, epoch.total, epoch.build_ms, epoch.people_change],
  );
  await tellOfList(connection);
}

/** Epochs that nobody needs any more: all but the current one and the one before it. */
export async function listPastEpochs(connection: Connection): Promise<number[]> {
  const { rows } = await connection.query<{ epoch: number }>(
    "select epoch from standing_epoch order by epoch desc offset 2",
  );
  return rows.map((row) => row.epoch);
}

/**
 * Drops an epoch's table, within a transaction of its own. Dropping waits for readers and makes new ones wait behind it,
 * so it gives up after a moment and says false, as it does when the table is another role's, or somebody is taking people
 * out of it: the next build tries again.
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
    if (!isNotNow(error)) throw error;
    await connection.query("rollback to savepoint drop_epoch");
    return false;
  }
}
