import type { OptOut } from "@credence/contract/person.ts";
import { readOptOuts } from "#snapshot/read-opt-outs.ts";
import type { SourceFile } from "#snapshot/source.ts";
import { type DedicatedConnection, transact } from "#store/engine/database.ts";
import { lockPeople } from "#store/engine/locks.ts";
import { insertOptOuts } from "#store/holders/opt-outs.ts";
import { listStoredIds } from "#store/people/passports.ts";
import { erasePeople } from "./erase-people.ts";

/** `keys` are the fingerprints of the keys under which wallets are opted out in the file. */
export type OptOutsTaken = { taken: number; erased: number[]; keys: string[] };

/** Takes in a file of opt-outs: they are remembered, and who is here is erased. In a dry run, only counts whom. */
export async function takeOptOuts(
  connection: DedicatedConnection,
  file: SourceFile,
  dryRun: boolean,
): Promise<OptOutsTaken> {
  const keys = new Set<string>();
  const result = { taken: 0, erased: [] as number[] };
  // All of it is read before any of it is taken.
  for await (const optOuts of readOptOuts(file)) for (const { key } of optOuts) if (key !== undefined) keys.add(key);
  for await (const optOuts of readOptOuts(file)) {
    if (optOuts.length === 0) continue;
    result.taken += optOuts.length;
    result.erased.push(...(await (dryRun ? listStoredIds(connection, idsOf(optOuts)) : take(connection, optOuts))));
  }
  return { ...result, keys: [...keys] };
}

const idsOf = (optOuts: readonly OptOut[]): number[] => optOuts.map((optOut) => optOut.passport_id);

function take(connection: DedicatedConnection, optOuts: readonly OptOut[]): Promise<number[]> {
  return transact(connection, async () => {
    await lockPeople(connection);
    await insertOptOuts(connection, optOuts);
    return erasePeople(connection, idsOf(optOuts));
  });
}
