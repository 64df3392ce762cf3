import { readConfig } from "#core/config/config.ts";
import { withDatabase } from "#core/process/connect.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { type FindOptedOut, findOptedOutPeople } from "#privacy/find-opted-out-people.ts";
import { listOptedOutIds } from "#privacy/opt-outs.ts";

export type OptOuts = {
  findPeople: FindOptedOut;
  findIds: (ids: readonly number[]) => Promise<ReadonlySet<number>>;
};

/**
 * Runs work that leaves out people who opted out here. Without DATABASE_URL nobody is known to have
 * opted out.
 */
export function withOptOuts<Result>(
  terminal: Terminal,
  command: string,
  work: (optOuts: OptOuts) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, optOutKeys } = readConfig(terminal.environment);
  if (databaseUrl === null) return work({ findPeople: async () => new Set(), findIds: async () => new Set() });
  return withDatabase(terminal, command, (database) =>
    work({
      findPeople: (people) => findOptedOutPeople(database, optOutKeys, people),
      findIds: async (ids) => new Set(await listOptedOutIds(database, ids)),
    }),
  );
}
