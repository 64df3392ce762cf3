import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printDuration } from "#cli/terminal/output.ts";
import { type Config, type Environment, processEnvironment, readConfig } from "#config.ts";
import { printable } from "#identity/unprintable.ts";
import { type Connection, type Database, openDatabase } from "#store/engine/database.ts";
import { isLocked } from "#store/engine/failures.ts";
import { listBlockers } from "#store/engine/locks.ts";
import { findSchemaState } from "#store/engine/migrations.ts";
import { findServerFacts } from "#store/engine/server.ts";

/** The configuration of this process; `flags` are variables that the command line overrides. */
export function configured(flags: Environment = {}): Config & { databaseUrl: string } {
  const config = readConfig({ ...processEnvironment(), ...flags });
  if (config.databaseUrl === null) {
    throw new Failure(
      "DATABASE_URL is not set.",
      "Give it as postgres://user:password@host:5432/database, or try `credence demo`, which needs none.",
      EXIT.usage,
    );
  }
  return { ...config, databaseUrl: config.databaseUrl };
}

/** Opens the database for one command, whatever is in it, and closes it afterwards. */
export async function withAnyDatabase<Result>(
  url: string,
  command: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase({ url, name: `credence ${command}`, maxConnections: 4, statementTimeoutMs: 0 });
  try {
    return await work(database);
  } catch (error) {
    throw isLocked(error) ? await explainLock(database, error) : error;
  } finally {
    await database.end();
  }
}

/** Names the sessions in the way, so that an operator can wait for them or end them. */
async function explainLock(database: Database, cause: unknown): Promise<Failure> {
  const blockers = await listBlockers(database).catch(() => []);
  const [first] = blockers;
  if (first === undefined) {
    const message = "Another process held a lock for too long. It is gone by now.";
    return new Failure(message, "Run the same command again.", EXIT.failed, { cause });
  }
  const named = blockers.map(
    ({ pid, application, role, seconds }) =>
      `process ${pid} (${printable(application || "no name")}, role ${printable(role)}, for ${printDuration(seconds * 1_000)})`,
  );
  return new Failure(
    `Other processes hold a lock that this one waited for: ${named.join(", ")}.`,
    `Wait until they are done, or end one: select pg_terminate_backend(${first.pid})`,
    EXIT.failed,
    { cause },
  );
}

/** Like `withAnyDatabase`, but refuses a schema that is older than this program. */
export function withDatabase<Result>(
  url: string,
  command: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  return withAnyDatabase(url, command, async (database) => {
    await requireSchema(database);
    return work(database);
  });
}

/** Refuses a database that cannot store every name, before anything is written to it. */
export async function requireUtf8(database: Connection): Promise<void> {
  const { encoding, database: name } = await findServerFacts(database);
  if (encoding === "UTF8") return;
  const quoted = `"${name.replaceAll('"', '""')}"`;
  throw new Failure(
    `The encoding of the database ${quoted} is ${encoding}. Names need UTF8.`,
    `The encoding of a database cannot be changed. Make another one: create database NAME template template0 encoding 'UTF8' locale 'C';`,
  );
}

export async function requireSchema(database: Connection): Promise<void> {
  const { pending } = await findSchemaState(database);
  if (pending.length > 0) {
    throw new Failure(
      `The database's schema is older than this program: ${pending.join(", ")} not applied.`,
      "Run `credence migrate` with the role that owns the tables.",
    );
  }
}
