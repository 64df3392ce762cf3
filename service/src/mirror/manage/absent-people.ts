import type { Connection } from "#core/database/database.ts";
import { type AbsentPerson, deleteReturned, insertAbsent, listNewlyAbsent } from "#people/facts/mirror-absent.ts";
import { countPassports } from "#people/facts/passports.ts";
import { updateWalletOwners } from "#people/facts/wallet-owner-rule.ts";
import { listWallets } from "#people/facts/wallets.ts";
import { readPeople } from "#people/read/read-people.ts";
import { preparePeople } from "#people/write/prepare-person.ts";
import { writePeople } from "#people/write/save-people.ts";
import { removePeople } from "#privacy/remove-people.ts";

/** More people than both are not deleted at once: the publisher may have made a mistake, or lost its key. */
const GUARD_PEOPLE = 20;
const GUARD_SHARE = 0.01;
/** How long the operator may take to decide on them. */
const DECISION_DAYS = 30;

const SLICE = 1_000;

export type Removal = { deleted: number; held: number };

/**
 * Deletes the people whom the import has not seen, or hides them, if they are too many. In the transaction
 * of the import, so that readers see both at once.
 */
export async function removeAbsent(connection: Connection, optOutKeys: readonly string[]): Promise<Removal> {
  const absent = await listNewlyAbsent(connection);
  const isHeld = absent.length > GUARD_PEOPLE && absent.length > GUARD_SHARE * (await countPassports(connection));
  for (const slice of slices(absent)) {
    if (!isHeld) await removePeople(connection, idsOf(slice), optOutKeys);
    else {
      await insertAbsent(connection, slice, DECISION_DAYS);
      await writeHidden(connection, idsOf(slice), true);
      await settleWallets(connection, idsOf(slice));
    }
  }
  return isHeld ? { deleted: 0, held: absent.length } : { deleted: absent.length, held: 0 };
}

/** Shows people whom the publisher shows again, unless they are hidden here too. */
export async function showReturned(connection: Connection): Promise<void> {
  const returned = await deleteReturned(connection);
  const shown = returned.filter(({ hidden_here }) => !hidden_here);
  for (const slice of slices(shown)) await writeHidden(connection, idsOf(slice), false);
  await settleWallets(connection, idsOf(returned));
}

/** People who are absent claim no wallet, also if they were hidden before. */
async function settleWallets(connection: Connection, ids: readonly number[]): Promise<void> {
  const wallets = await listWallets(connection, ids);
  await updateWalletOwners(connection, [...new Set(wallets.map(({ address }) => address))]);
}

async function writeHidden(connection: Connection, ids: readonly number[], hidden: boolean): Promise<void> {
  const people = await readPeople(connection, ids);
  const changed = people.map(({ operator, ...person }) => ({ ...person, operator: { ...operator, hidden } }));
  await writePeople(connection, preparePeople(changed));
}

const idsOf = (people: readonly AbsentPerson[]): number[] => people.map(({ passport_id }) => passport_id);

function* slices<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let index = 0; index < items.length; index += SLICE) yield items.slice(index, index + SLICE);
}
