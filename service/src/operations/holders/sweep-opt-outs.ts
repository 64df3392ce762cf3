import { fingerprintOf } from "#identity/opt-out-key.ts";
import { readPeople } from "#operations/people/read-people.ts";
import { correctList } from "#operations/standing/correct-standing.ts";
import { preparePeople } from "#operations/write/prepare-person.ts";
import { writePeople } from "#operations/write/save-people.ts";
import { type Connection, type DedicatedConnection, transact } from "#store/engine/database.ts";
import { lockPeople } from "#store/engine/locks.ts";
import { listUnappliedHashes, updateHashesApplied } from "#store/holders/opt-outs.ts";
import { listSurvivorIds } from "#store/people/merges.ts";
import { listPassportIdsAfter } from "#store/people/passports.ts";
import { listWallets } from "#store/people/wallets.ts";
import { erasePeople } from "./erase-people.ts";
import { findOptedOutWallets } from "./find-opted-out-wallets.ts";

const BATCH_PEOPLE = 1_000;

/** `erased` are the ids of those erased, `changed` counts those who lost a wallet. */
export type Swept = { erased: number[]; changed: number };

/**
 * Looks through everyone held for wallets that opted out and for which nobody has looked yet: whose main wallet it is, is erased;
 * who lists it beside others, loses it. Hashes cannot be looked up the other way round, so it reads all wallets, once.
 */
export async function sweepOptOuts(
  connection: DedicatedConnection,
  key: string,
  onProgress: (people: number) => void,
): Promise<Swept> {
  const swept: Swept = { erased: [], changed: 0 };
  const hashes = await listUnappliedHashes(connection, fingerprintOf(key));
  if (hashes.length === 0) return swept;
  let people = 0;
  for (let after = 0; ; ) {
    const ids = await listPassportIdsAfter(connection, after, BATCH_PEOPLE);
    const last = ids.at(-1);
    if (last === undefined) break;
    const found = await transact(connection, async () => {
      await lockPeople(connection);
      return sweepPeople(connection, key, ids);
    });
    swept.erased.push(...found.erased);
    swept.changed += found.changed;
    people += ids.length;
    onProgress(people);
    after = last;
  }
  await updateHashesApplied(connection, hashes);
  return swept;
}

/** The same among these people, in the caller's transaction and under its lock of people. */
export async function sweepPeople(connection: Connection, key: string, ids: readonly number[]): Promise<Swept> {
  const wallets = await listWallets(connection, ids);
  const addresses = wallets.map((wallet) => wallet.address);
  const out = await findOptedOutWallets(connection, key, addresses);
  if (out.size === 0) return { erased: [], changed: 0 };
  const listing = wallets.filter((wallet) => out.has(wallet.address));
  const erased = new Set(listing.filter((wallet) => wallet.position === 0).map((wallet) => wallet.passport_id));
  await erasePeople(connection, [...erased]);
  const losing = new Set(listing.map((wallet) => wallet.passport_id)).difference(erased);
  const people = (await readPeople(connection, [...losing])).map((person) => ({
    ...person,
    passport: {
      ...person.passport,
      verified_wallets: person.passport.verified_wallets.filter((address) => !out.has(address)),
    },
  }));
  await writePeople(connection, preparePeople(people));
  await correctList(connection, await listSurvivorIds(connection, [...losing]));
  return { erased: [...erased], changed: losing.size };
}
