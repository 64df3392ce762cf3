import { type Config, type Environment, readConfig } from "#core/config/config.ts";
import { type Connection, type Database, openDatabase } from "#core/database/database.ts";
import { isLocked } from "#core/database/failures.ts";
import { listBlockers } from "#core/database/locks.ts";
import { findSchemaState, isEmpty, requireKnown } from "#core/database/migrations.ts";
import { findServerFacts } from "#core/database/server.ts";
import { READ_ONLY, requireUsableServer } from "#core/database/wrong-server.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatDuration } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { requireManagingRole } from "./require-role.ts";
import { describeUnknown, findUnknownVariables } from "./unknown-variables.ts";

/** The configuration of a command. `overrides` are variables set by command-line options. */
export function requireConfig(terminal: Terminal, overrides: Environment = {}): Config & { databaseUrl: string } {
  const environment = { ...terminal.environment, ...overrides };
  const config = readConfig(environment);
  if (config.databaseUrl === null) {
    const misspelt = findUnknownVariables(environment).find(({ nearest }) => nearest.startsWith("DATABASE_URL"));
    if (misspelt !== undefined) {
      throw new Failure(
        `DATABASE_URL is not set. ${describeUnknown(misspelt)}`,
        `Rename ${misspelt.name} to ${misspelt.nearest}.`,
        EXIT.usage,
      );
    }
    throw new Failure(
      "DATABASE_URL is not set.",
      "Set it to postgres://user:password@host:5432/database, or try `credence demo`, which needs no configuration.",
      EXIT.usage,
    );
  }
  return { ...config, databaseUrl: config.databaseUrl };
}

/** Opens the database for one command, without a check of its schema, and closes it afterwards. */
export async function withAnyDatabase<Result>(
  terminal: Terminal,
  command: string,
  work: (database: Database) => Promise<Result>,
  url = requireConfig(terminal).databaseUrl,
  settings: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const name = `credence ${command}`;
  const database = openDatabase({
    url,
    name,
    maxConnections: 6,
    statementTimeoutMs: 0,
    settings,
    requireTrustedSchema: true,
  });
  try {
    return await work(database);
  } catch (error) {
    throw isLocked(error) ? await explainLock(database, error) : error;
  } finally {
    await database.end();
  }
}

/** Lists the sessions that hold the lock, so that an operator can wait for them or end them. */
async function explainLock(database: Database, cause: unknown): Promise<Failure> {
  const blockers = await listBlockers(database).catch(() => []);
  const [first] = blockers;
  if (first === undefined) {
    const message = "The command timed out waiting for a lock, which has been released since.";
    return new Failure(message, "Run the same command again.", EXIT.failed, { cause });
  }
  const sessions = blockers.map(
    ({ pid, application, role, seconds }) =>
      `process ${pid} (${printable(application || "no name")}, role ${printable(role)}, for ${formatDuration(seconds * 1_000)})`,
  );
  return new Failure(
    `The command timed out waiting for a lock held by ${sessions.join(", ")}.`,
    `Wait until they finish, or end one: select pg_terminate_backend(${first.pid})`,
    EXIT.failed,
    { cause },
  );
}

/**
 * Like `withAnyDatabase`, but refuses a schema that is older or newer than this program.
 * `isDryRun`: PostgreSQL refuses every write. `writesAs`: also refuses a role that cannot write for
 * this command.
 */
export function withDatabase<Result>(
  terminal: Terminal,
  command: string,
  work: (database: Database) => Promise<Result>,
  {
    url,
    isDryRun = false,
    writesAs,
  }: { url?: string; isDryRun?: boolean; writesAs?: "work" | "import" | "decisions import" } = {},
): Promise<Result> {
  const checkAndWork = async (database: Database) => {
    await requireUsableServer(database);
    if (writesAs !== undefined) await requireManagingRole(database, writesAs);
    await requireSchema(database);
    return work(database);
  };
  return withAnyDatabase(terminal, command, checkAndWork, url, isDryRun ? READ_ONLY : {});
}

/** Refuses a database that cannot store every name. Call it before the first write. */
export async function requireUtf8(database: Connection): Promise<void> {
  const { encoding, database: name } = await findServerFacts(database);
  if (encoding === "UTF8") return;
  const quoted = `"${name.replaceAll('"', '""')}"`;
  throw new Failure(
    `The encoding of the database ${quoted} is ${encoding}. Names need UTF8.`,
    `The encoding of a database cannot be changed. Create another one: create database NAME template template0 encoding 'UTF8' locale 'C';`,
  );
}

/** Throws unless the database has exactly the migrations of this program. */
export async function requireSchema(database: Connection): Promise<void> {
  const state = await findSchemaState(database);
  requireKnown(state);
  const { pending } = state;
  if (isEmpty(state)) {
    throw new Failure(
      "The database is empty: it has no schema yet.",
      "Run `credence migrate` with the role that is to own the tables.",
    );
  }
  if (pending.length > 0) {
    throw new Failure(
      `The database's schema is older than this program: ${pending.join(", ")} not applied.`,
      "Run `credence migrate` with the role that owns the tables.",
    );
  }
}
