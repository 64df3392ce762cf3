import type { Connection } from "./database.ts";
import { planLookUps } from "./plans.ts";

// Advisory locks are numbers; these are ours, in one place so that no two jobs share one by accident.
const LOCKS = {
  /** Held by whoever writes facts or documents of people: alone, or, by those who write scores only, together. */
  people: 7_301_001,
  /** Held by whoever builds an epoch, or changes who may read one. */
  standing: 7_301_002,
  /** Held by whoever switches to an epoch, drops one, or takes people out of them. Always the last to be taken. */
  epochs: 7_301_003,
} as const;
type LockName = keyof typeof LOCKS;

/**
 * Makes the caller the one writer of people until its transaction ends. All that it will ask are look-ups by key; they are
 * planned as such whatever the statistics say, which know nothing of a table that was empty a minute ago.
 */
export async function lockPeople(connection: Connection): Promise<void> {
  await lock(connection, "people");
  await planLookUps(connection);
}

/**
 * Keeps out whoever writes people at large, but not others who share: for those who write scores, of people they have
 * claimed, and the passport documents that show them. Look-ups are planned as above.
 */
export async function sharePeople(connection: Connection): Promise<void> {
  await connection.query("select pg_advisory_xact_lock_shared($1)", [LOCKS.people]);
  await planLookUps(connection);
}

/** Waits for the lock and holds it until the transaction ends. */
export async function lock(connection: Connection, name: LockName): Promise<void> {
  await connection.query("select pg_advisory_xact_lock($1)", [LOCKS[name]]);
}

/** Takes the lock until the transaction ends, or says at once that somebody else has it. */
export async function tryLock(connection: Connection, name: LockName): Promise<boolean> {
  const { rows } = await connection.query<{ taken: boolean }>("select pg_try_advisory_xact_lock($1) as taken", [
    LOCKS[name],
  ]);
  return rows[0]?.taken ?? false;
}
