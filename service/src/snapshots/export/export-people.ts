import type { KeyObject } from "node:crypto";
import type { OptOut, Person } from "@credence/contract/person.ts";
import type { Manifest } from "@credence/contract/snapshot.ts";
import { type Connection, type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { writeSnapshot } from "#core/files/write-snapshot.ts";
import { listHiddenByHolder } from "#people/facts/hidden-by-holder.ts";
import { countPassports, listPassportIdsAfter } from "#people/facts/passports.ts";
import { inV1Order } from "#people/present/credentials.ts";
import { type PersonFacts, readPeople } from "#people/read/read-people.ts";
import { listOptOutsAfter } from "#privacy/opt-outs.ts";

const BATCH_PEOPLE = 250;

export type ExportOptions = {
  /** The name of this data, for the manifest. */
  source: string;
  privateKey: KeyObject | null;
  onProgress: (people: number, total: number) => void;
};

/**
 * Writes all stored people into a folder, as of one moment: one read-only transaction reads all of
 * it.
 */
export function exportPeople(database: Database, folder: string, options: ExportOptions): Promise<Manifest> {
  return inTransaction(
    database,
    async (connection) => {
      const total = await countPassports(connection);
      await planLookUps(connection);
      const { source, privateKey, onProgress } = options;
      const content = {
        source,
        createdAt: new Date(),
        people: streamPeople(connection),
        optOuts: streamOptOuts(connection),
        privateKey,
      };
      return writeSnapshot(folder, content, (people) => onProgress(people, total));
    },
    "repeatable read, read only",
  );
}

async function* streamPeople(connection: Connection): AsyncGenerator<Person> {
  let after = 0;
  for (;;) {
    const ids = await listPassportIdsAfter(connection, after, BATCH_PEOPLE);
    const last = ids.at(-1);
    if (last === undefined) return;
    const hiddenByHolder = new Set(await listHiddenByHolder(connection, ids));
    for (const person of await readPeople(connection, ids)) {
      yield asLine(person, hiddenByHolder.has(person.passport.passport_id));
    }
    after = last;
  }
}

/**
 * Default values are left out: `hidden: false` would show a person again that the importing server
 * has hidden.
 */
export function asLine(
  { passport, credentials, operator: { hidden } }: PersonFacts,
  isHiddenByHolder: boolean,
): Person {
  const line = { passport, credentials: credentials.toSorted(inV1Order) };
  return hidden ? { ...line, operator: { hidden, ...(isHiddenByHolder && { hidden_by: "holder" as const }) } } : line;
}

async function* streamOptOuts(connection: Connection): AsyncGenerator<OptOut> {
  let after = 0;
  for (;;) {
    const optOuts = await listOptOutsAfter(connection, after, BATCH_PEOPLE);
    const last = optOuts.at(-1);
    if (last === undefined) return;
    yield* optOuts;
    after = last.passport_id;
  }
}
