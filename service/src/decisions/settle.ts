import type { Connection } from "#core/database/database.ts";
import { countPeopleChange } from "#list/manage/change-counter.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { writeDocuments } from "#people/documents/write-documents.ts";
import { listStoredIds } from "#people/facts/people.ts";
import { updateWalletOwners } from "#people/facts/wallet-owners.ts";
import { listAddresses } from "#people/facts/wallets.ts";
import { removeWallets } from "#people/write/remove-wallets.ts";
import { deletePeople } from "#people/write/save-people.ts";
import { withOtherSpellings } from "./erased-wallets.ts";
import { appendDecision, listStates, type NewDecision } from "./ledger.ts";
import { forgetRequestsOf } from "./requests-of-person.ts";

export type Settled = {
  /** People whose facts were deleted. */
  erased: number[];
  /** Other people who lost a wallet of an erased person, and those whose main wallet it was. */
  losing: number[];
  lostMain: number[];
};

/**
 * Appends a decision about a person, and carries out what follows from it, in the caller's transaction and
 * under its lock of people. `key`: for the wallets of an erased person.
 */
export async function decide(
  connection: Connection,
  decision: NewDecision,
  { key = null }: { key?: string | null } = {},
): Promise<Settled> {
  const { action, passportId, request = null } = decision;
  const wallets = action === "erased" ? await listAddresses(connection, [passportId]) : [];
  await appendDecision(connection, decision, { wallets, key });
  return settle(connection, [passportId], await withOtherSpellings(connection, wallets), request);
}

/**
 * Makes what is stored and served agree with the decisions about these people: the only place where a
 * decision changes it. `gone`: wallets of people who were erased, which no record may list any more.
 * `keptRequest`: its signature is the proof of the erasure. Idempotent.
 *
 * Every feature with data of people is called here by name. With hooks that features register, one that
 * is forgotten would leave personal data; stored-data.test.ts finds a table that is missing here.
 */
export async function settle(
  connection: Connection,
  ids: readonly number[],
  gone: readonly string[],
  keptRequest: string | null = null,
): Promise<Settled> {
  const stored = await listStoredIds(connection, ids);
  const hidden = await listStates(connection, ids);
  const toErase = hidden.filter(({ keeps_facts }) => !keeps_facts).map(({ passport_id }) => passport_id);
  const isStored = new Set(stored);
  const erased = toErase.filter((id) => isStored.has(id));
  const addresses = new Set([...(await listAddresses(connection, stored)), ...gone]);
  await deletePeople(connection, erased);
  const { losing, lostMain } = await removeWallets(connection, gone);
  await forgetRequestsOf(connection, toErase, gone, keptRequest);
  const affected = [...new Set([...stored, ...losing])];
  if (affected.length === 0) return { erased, losing, lostMain };
  await countPeopleChange(connection);
  await writeDocuments(connection, affected);
  await updateWalletOwners(connection, [...addresses]);
  // A person who is shown again waits for the next build.
  const leaving = new Set([...hidden.map(({ passport_id }) => passport_id), ...losing]);
  await correctStanding(
    connection,
    affected.filter((id) => leaving.has(id)),
  );
  return { erased, losing, lostMain };
}
