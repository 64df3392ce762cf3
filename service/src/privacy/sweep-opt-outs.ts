import { type DedicatedConnection, transact } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { listPassportIdsAfter } from "#people/facts/passports.ts";
import { fingerprintOf } from "./opt-out.ts";
import { listUnappliedHashes, updateHashesApplied } from "./opt-outs.ts";
import { type Swept, sweepPeople } from "./remove-people.ts";

const BATCH_PEOPLE = 1_000;

/**
 * Applies opted-out wallets to all stored people, once for each wallet. A person whose main wallet
 * opted out is erased; a person who lists it as a further wallet loses it. Hashes cannot be
 * reversed, so all stored wallets are read and hashed.
 */
export async function sweepOptOuts(
  connection: DedicatedConnection,
  keys: readonly string[],
  onProgress: (people: number) => void,
): Promise<Swept> {
  const swept: Swept = { erased: [], changed: 0 };
  const hashes = await listUnappliedHashes(connection, keys.map(fingerprintOf));
  if (hashes.length === 0) return swept;
  let people = 0;
  for (let after = 0; ; ) {
    const ids = await listPassportIdsAfter(connection, after, BATCH_PEOPLE);
    const last = ids.at(-1);
    if (last === undefined) break;
    const batch = await transact(connection, async () => {
      await lockPeople(connection);
      return sweepPeople(connection, keys, ids);
    });
    swept.erased.push(...batch.erased);
    swept.changed += batch.changed;
    people += ids.length;
    onProgress(people);
    after = last;
  }
  await updateHashesApplied(connection, hashes);
  return swept;
}
