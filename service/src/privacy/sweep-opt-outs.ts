import { type Connection, type DedicatedConnection, transact } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { listSurvivorIds } from "#people/facts/merges.ts";
import { listPassportIdsAfter } from "#people/facts/passports.ts";
import { deleteUnownedWallets } from "#people/facts/unowned-wallets.ts";
import { listWallets } from "#people/facts/wallets.ts";
import { readPeople } from "#people/read/read-people.ts";
import { preparePeople } from "#people/write/prepare-person.ts";
import { writePeople } from "#people/write/save-people.ts";
import { erasePeople } from "./erase-people.ts";
import { findOptedOutWallets } from "./find-opted-out-wallets.ts";
import { fingerprintOf } from "./opt-out.ts";
import { listUnappliedHashes, updateHashesApplied } from "./opt-outs.ts";
import { keepHides } from "./pending-hides.ts";
import { recordRemovedHere } from "./removed-with-another.ts";

const BATCH_PEOPLE = 1_000;

/** Ids of erased people, and the number of people who lost a wallet. */
export type Swept = { erased: number[]; changed: number };

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

/** The same for these people, in the caller's transaction and under its lock of people. */
export async function sweepPeople(
  connection: Connection,
  keys: readonly string[],
  ids: readonly number[],
): Promise<Swept> {
  const wallets = await listWallets(connection, ids);
  const addresses = wallets.map((wallet) => wallet.address);
  const optedOut = await findOptedOutWallets(connection, keys, addresses);
  if (optedOut.size === 0) return { erased: [], changed: 0 };
  const matches = wallets.filter((wallet) => optedOut.has(wallet.address));
  const erased = new Set(matches.filter((wallet) => wallet.position === 0).map((wallet) => wallet.passport_id));
  await keepHides(connection, [...erased]);
  await erasePeople(connection, [...erased]);
  await recordRemovedHere(connection, [...erased]);
  const losing = new Set(matches.map((wallet) => wallet.passport_id)).difference(erased);
  const people = (await readPeople(connection, [...losing])).map((person) => ({
    ...person,
    passport: {
      ...person.passport,
      verified_wallets: person.passport.verified_wallets.filter((address) => !optedOut.has(address)),
    },
  }));
  await writePeople(connection, preparePeople(people));
  await deleteUnownedWallets(connection, [...optedOut]);
  await correctStanding(connection, await listSurvivorIds(connection, [...losing]));
  return { erased: [...erased], changed: losing.size };
}
