import type { Connection } from "./database.ts";
import { isNotNow } from "./failures.ts";
import { tryLock } from "./locks.ts";
import { epochTable, LISTED } from "./standing.ts";

/** The number of the newest epoch; 0 when there has been none. */
export async function findLastEpochNumber(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ last: number | null }>("select max(epoch) as last from standing_epoch");
  return rows[0]?.last ?? 0;
}

/**
 * Writes everyone listed into the table of a new epoch, in rank order, and returns how many they are. Nobody sees the
 * table before the transaction ends. One pass over passport and passport_document, sorted; the keys follow when it is full.
 */
export async function buildEpochTable(connection: Connection, epoch: number): Promise<number> {
  const table = epochTable(epoch);
  // A table without its row is nobody's.
  await connection.query(`drop table if exists ${table}`);
  await connection.query(`create table ${table} (like standing including storage including compression)`);
  await giveToOwner(connection, table);
  const filled = await connection.query(
    `insert into ${table} (rank, passport_id, body, folded_name)
     select row_number() over (order by score desc nulls last, passport_id), passport_id, body, folded_name
     from passport join passport_document using (passport_id)
     where ${LISTED}
     order by 1`,
  );
  await connection.query(`alter table ${table} add primary key (rank)`);
  await connection.query(`create index ${table}_passport on ${table} (passport_id)`);
  await connection.query(`create index ${table}_grams on ${table} using gin (grams (folded_name))`);
  await connection.query(`analyze ${table}`);
  await grantEpoch(connection, table);
  return filled.rowCount ?? 0;
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
    await connection.query(`drop table if exists ${epochTable(epoch)}`);
    await connection.query("delete from standing_epoch where epoch = $1", [epoch]);
    return true;
  } catch (error) {
    if (!isNotNow(error)) throw error;
    await connection.query("rollback to savepoint drop_epoch");
    return false;
  }
}
