import { type Connection, inSavepoint } from "./database.ts";
import { isLocked } from "./failures.ts";
import { planLookUps } from "./planner.ts";

// Locks are empty tables (migration 0001), held until the transaction ends. Requests queue in the order in which they arrive.

type LockName =
  /** Held by every writer of facts or documents of people: exclusively, or, by those who write scores only, shared. */
  | "people"
  /** Held while an epoch is built, or the rights to read epochs are changed. */
  | "standing"
  /** Held while an epoch is switched to, dropped, or corrected. Always the last to be taken. */
  | "epochs";

/** A transaction that waits longer for a lock fails. A batch of an import or a recalculation takes a few seconds at most. */
const LOCK_TIMEOUT = "30s";

/**
 * Makes the caller the one writer of people until its transaction ends. Everything it reads is a look-up by key, and is planned as
 * one whatever the statistics say, which know nothing of a table that was empty a minute ago.
 */
export async function lockPeople(connection: Connection): Promise<void> {
  await lock(connection, "people");
  await planLookUps(connection);
}

/** Shares the lock with others who write scores and passport documents of people they have claimed. */
export async function lockPeopleShared(connection: Connection): Promise<void> {
  await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'; lock table lock_people in share mode`);
  await planLookUps(connection);
}

export async function lock(connection: Connection, name: LockName): Promise<void> {
  await connection.query(`set local lock_timeout = '${LOCK_TIMEOUT}'; lock table lock_${name} in exclusive mode`);
}

/** Takes the lock, or returns false at once if another transaction holds it. */
export async function tryLock(connection: Connection, name: LockName): Promise<boolean> {
  try {
    await inSavepoint(connection, () => connection.query(`lock table lock_${name} in exclusive mode nowait`));
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}

export type Blocker = { pid: number; application: string; role: string; seconds: number };

/** Sessions that block others: they hold one of our locks, the advisory lock of a migration, or a lock that a session waits for. */
export async function listBlockers(connection: Connection): Promise<Blocker[]> {
  const { rows } = await connection.query<Blocker>(
    `select pid, application_name as application, usename as role,
       extract(epoch from now() - xact_start)::integer as seconds
     from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and pid in (
       select pid from pg_locks
       where granted and (locktype = 'advisory'
         or relation in (to_regclass('lock_people'), to_regclass('lock_standing'), to_regclass('lock_epochs')))
       union
       select unnest(pg_blocking_pids(pid)) from pg_locks where not granted
     )
     order by xact_start`,
  );
  return rows;
}
