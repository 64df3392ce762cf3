import { type Connection, type Database, inSavepoint, planLookUps, queryValue, withConnection } from "./database.ts";
import { isLocked } from "./failures.ts";

// A lock is an empty table, locked until the transaction ends. Waiters queue in order of arrival.

type LockName =
  /** Taken to write facts or documents: shared to write scores only, else exclusively. */
  | "people"
  /** Taken to build an epoch, or to change the rights to read epochs. */
  | "standing"
  /** Taken to switch to an epoch, to drop it or to correct it. Always taken last. */
  | "epochs";

/** Key of the advisory lock, any number that nothing else uses. */
const CLAIM = 630_277_190;

const KEEPALIVE = "set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3";

/** A batch of an import takes a few seconds at most. */
const LOCK_TIMEOUT = "30s";

/** Makes the caller the only writer of people. All its reads are look-ups by key. */
export async function lockPeople(connection: Connection): Promise<void> {
  await lock(connection, "people");
  await planLookUps(connection);
}

export async function lock(connection: Connection, name: LockName): Promise<void> {
  await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'; lock table lock_${name} in exclusive mode`);
}

/**
 * Takes the lock without waiting. Returns false if another transaction has it. The view is asked first,
 * because a lock that is refused is an error in PostgreSQL's log.
 */
export async function tryLock(connection: Connection, name: LockName): Promise<boolean> {
  if (await isTaken(connection, name)) return false;
  try {
    await inSavepoint(connection, () => connection.query(`lock table lock_${name} in exclusive mode nowait`));
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}

const isTaken = (connection: Connection, name: LockName): Promise<boolean> =>
  queryValue(
    connection,
    `select exists (
       select from pg_locks join pg_database on pg_database.oid = database and datname = current_database()
       where granted and relation = $1::regclass and mode = 'ExclusiveLock'
     )`,
    [`lock_${name}`],
  );

/**
 * Runs the build of the standing unless a session of another process does.
 * Returns null then: it has started nothing, and PostgreSQL has logged nothing.
 */
export function unlessClaimed<Result>(database: Database, build: () => Promise<Result>): Promise<Result | null> {
  return withConnection(database, async (connection) => {
    if (!(await queryValue<boolean>(connection, "select pg_try_advisory_lock($1)", [CLAIM]))) return null;
    try {
      // If this machine loses its network, PostgreSQL ends the claim after a minute, not after two hours.
      await connection.query(KEEPALIVE);
      return await build();
    } finally {
      // If the connection is lost, PostgreSQL ends the claim.
      await connection.query("select pg_advisory_unlock($1)", [CLAIM]).catch(() => {});
    }
  });
}

export type Blocker = { pid: number; application: string; role: string; seconds: number };

/** Sessions with one of our locks, an advisory lock, or a lock that another session waits for. */
export async function listBlockers(connection: Connection): Promise<Blocker[]> {
  const { rows } = await connection.query<Blocker>(
    `select pid, application_name as application, usename as role,
       extract(epoch from now() - xact_start)::integer as seconds
     from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and pid in (
       select pid from pg_locks
       where granted and (locktype = 'advisory' and objid <> ${CLAIM}
         or relation in (to_regclass('lock_people'), to_regclass('lock_standing'), to_regclass('lock_epochs')))
       union
       select unnest(pg_blocking_pids(pid)) from pg_locks where not granted
     )
     order by xact_start`,
  );
  return rows;
}
