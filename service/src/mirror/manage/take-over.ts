import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople, unlessClaimed } from "#core/database/locks.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { countAbsent } from "#people/facts/mirror-absent.ts";
import { countPassports } from "#people/facts/passports.ts";
import { insertPeopleAudit } from "#privacy/audit.ts";
import { findMirrorOf, insertPublication, updateTakenOver } from "./mirror-of.ts";

/** `held`: people whom the last snapshot lacked, and on whom the operator decides. */
export type TakenOver = { feed: string; continues: string; people: number; held: number };

/**
 * Makes a mirror a server of its own: it shows people without a publisher that vouches for them, and may
 * publish as the same feed.
 */
export async function takeOver(database: Database, basis: string): Promise<TakenOver> {
  const taken = await unlessClaimed(database, () => takeOverClaimed(database, basis), "mirror");
  if (taken !== null) return taken;
  throw new Failure(
    "Another process is asking the publisher now.",
    "Stop the workers of this mirror, and try again.",
    EXIT.failed,
  );
}

/** What a take-over would take over. Throws if this server cannot. */
export async function findTakeOver(connection: Connection) {
  const stored = await findMirrorOf(connection);
  if (stored === null) throw refused("This server is no mirror.");
  if (stored.taken_over_at !== null) throw refused(`It took over on ${stored.taken_over_at.toISOString()} already.`);
  const people = await countPassports(connection);
  const { feed, created_at, url, now } = stored;
  if (feed === null || created_at === null || people === 0) throw refused("It has no people of its publisher.");
  return { feed, createdAt: created_at, people, url, ageMs: now.getTime() - created_at.getTime() };
}

function takeOverClaimed(database: Database, basis: string): Promise<TakenOver> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const { feed, createdAt, people } = await findTakeOver(connection);
    await insertPublication(connection, feed, createdAt);
    await updateTakenOver(connection, basis);
    await insertPeopleAudit(connection, "take over", people);
    return { feed, continues: createdAt.toISOString(), people, held: await countAbsent(connection) };
  });
}

const refused = (problem: string): Failure =>
  new Failure(problem, "docs/MIRROR.md describes a take-over.", EXIT.failed);
