import { readConfig } from "#core/config/config.ts";
import { withDatabase } from "#core/process/connect.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { listErasedIds } from "#decisions/ledger.ts";

/** Of these ids, those of people who were erased here. */
export type FindErased = (ids: readonly number[]) => Promise<ReadonlySet<number>>;

/** Runs work that leaves out people who were erased here. Without DATABASE_URL nobody is known to be. */
export function withKnownErased<Result>(
  terminal: Terminal,
  command: string,
  work: (findErased: FindErased) => Promise<Result>,
): Promise<Result> {
  if (readConfig(terminal.environment).databaseUrl === null) return work(async () => new Set());
  return withDatabase(terminal, command, (database) =>
    work(async (ids) => new Set(await listErasedIds(database, ids))),
  );
}
