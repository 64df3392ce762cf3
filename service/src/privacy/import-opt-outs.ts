import type { OptOut } from "@credence/contract/person.ts";
import { type Connection, type DedicatedConnection, transact } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import type { SourceFile } from "#core/files/source.ts";
import { listStoredIds } from "#people/facts/passports.ts";
import { erasePeople } from "./erase-people.ts";
import { insertOptOuts } from "./opt-outs.ts";
import { readOptOuts } from "./read-opt-outs.ts";

/** `keys` are the fingerprints of the keys in the file. */
export type OptOutsImported = { taken: number; erased: number[]; keys: string[] };

/** Stores the opt-outs of a file, and erases the people they name. */
export const importOptOuts = (connection: DedicatedConnection, file: SourceFile): Promise<OptOutsImported> =>
  readAll(file, (optOuts, ids) => writeOptOuts(connection, optOuts, ids));

/** Lists the people that an import of the file would erase. */
export const previewFile = (connection: Connection, file: SourceFile): Promise<OptOutsImported> =>
  readAll(file, (_optOuts, ids) => listStoredIds(connection, ids));

/** `handle` returns the people who are erased. */
async function readAll(
  file: SourceFile,
  handle: (optOuts: readonly OptOut[], ids: number[]) => Promise<number[]>,
): Promise<OptOutsImported> {
  const keys = new Set<string>();
  const result = { taken: 0, erased: [] as number[] };
  // The first pass validates the whole file, before anything is written.
  for await (const optOuts of readOptOuts(file)) for (const { key } of optOuts) if (key !== undefined) keys.add(key);
  for await (const optOuts of readOptOuts(file)) {
    if (optOuts.length === 0) continue;
    result.taken += optOuts.length;
    const ids = optOuts.map((optOut) => optOut.passport_id);
    result.erased.push(...(await handle(optOuts, ids)));
  }
  return { ...result, keys: [...keys] };
}

function writeOptOuts(connection: DedicatedConnection, optOuts: readonly OptOut[], ids: number[]): Promise<number[]> {
  return transact(connection, async () => {
    await lockPeople(connection);
    await insertOptOuts(connection, optOuts, "other");
    return erasePeople(connection, ids);
  });
}
