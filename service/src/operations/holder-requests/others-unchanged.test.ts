import fc from "fast-check";
import { expect, test } from "vitest";
import { changePerson } from "#operations/holders/change-person.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { HOLDER_ACTIONS, type HolderAction } from "#ownership/message.ts";
import type { Database } from "#store/engine/database.ts";
import { openHolderRequests } from "#store/holder-requests/serve-requests.ts";
import { testDatabase } from "#testing/database.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { solanaWallet } from "#testing/wallets.ts";
import { processRequests } from "./process-requests.ts";

const SEQUENCES = scaled(200, 20);
const PEOPLE = [1, 2, 3];
const WALLETS = [0, 1, 2, 3];

type Request = { signer: number; action: HolderAction; passportId: number; merges: [number, number] | null };

/** Wallets of each person by number: the first is the main wallet. Most are shared in some way. */
const populations = fc.tuple(...PEOPLE.map(() => fc.uniqueArray(fc.constantFrom(...WALLETS), { maxLength: 3 })));
const requestLists = fc.array(
  fc.record({
    signer: fc.constantFrom(...WALLETS),
    action: fc.constantFrom(...HOLDER_ACTIONS),
    passportId: fc.constantFrom(...PEOPLE),
    merges: fc.option(fc.tuple(fc.constantFrom(...PEOPLE), fc.constantFrom(...PEOPLE)), { freq: 4 }),
  }) as fc.Arbitrary<Request>,
  { minLength: 1, maxLength: 3 },
);

/** A request that is carried out. */
const EXAMPLE: [number[][], Request[]] = [
  [[0], [1], [2]],
  [{ signer: 0, action: "hide", passportId: 1, merges: null }],
];

/** Everything stored and shown about these people, by person. */
async function readRecords(database: Database, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await database.query<{ id: number; record: string }>(
    `select id, concat_ws(' ',
       (select passport::text from passport where passport_id = id),
       (select string_agg(wallet::text, ' ' order by position) from passport_wallet as wallet where passport_id = id),
       (select document::text from passport_document as document where passport_id = id),
       (select document::text from credential_document as document where passport_id = id),
       (select string_agg(address, ' ' order by address) from wallet_owner where passport_id = id)
     ) as record
     from unnest($1::bigint[]) as id`,
    [ids],
  );
  return new Map(rows.map(({ id, record }) => [id, record]));
}

test(`no signature changes another person's record, in ${SEQUENCES} sequences with shared and merged wallets`, {
  timeout: 300_000,
}, async () => {
  const { database } = await testDatabase();
  const { enqueue } = openHolderRequests(database);
  let [sequence, changed] = [0, 0];
  const settings = { ...HOLDERS_ON, graceMs: 0 };
  /** Until an erasure without a grace period is carried out. */
  const work = async () => {
    while ((await processRequests(database, settings, (error) => expect.unreachable(String(error)))).advanced > 0);
  };
  await fc.assert(
    fc.asyncProperty(populations, requestLists, async (population, list) => {
      sequence += 1;
      const idOf = (id: number) => sequence * 10 + id;
      const wallets = WALLETS.map((number) => solanaWallet(`${sequence} ${number}`));
      const addressOf = (number: number) => wallets[number]?.address as string;
      await savePeople(
        database,
        population.map(([main, ...further], at) =>
          person(idOf(at + 1), {
            main_wallet: main === undefined ? null : addressOf(main),
            verified_wallets: further.map(addressOf),
          }),
        ),
      );
      const ids = PEOPLE.map(idOf);
      for (const [at, { signer, action, passportId, merges }] of list.entries()) {
        if (merges !== null) {
          await changePerson(database, { action: "merge", passportId: idOf(merges[0]), into: idOf(merges[1]) });
        }
        const before = await readRecords(database, ids);
        const wallet = wallets[signer] as (typeof wallets)[number];
        await enqueue(signRequest(wallet, action, idOf(passportId), new Date(Date.now() - at * 1_000)));
        await work();
        const after = await readRecords(database, ids);
        const different = ids.filter((id) => before.get(id) !== after.get(id));
        expect(different.filter((id) => id !== idOf(passportId))).toEqual([]);
        if (different.length > 0) {
          changed += 1;
          // Only a wallet of the record changes it.
          expect(population[passportId - 1]).toContain(signer);
        }
      }
      await database.query("delete from holder_request");
    }),
    { numRuns: SEQUENCES, examples: [EXAMPLE] },
  );
  // The test would prove nothing if all requests were left to the operator.
  expect(changed).toBeGreaterThan(0);
});
