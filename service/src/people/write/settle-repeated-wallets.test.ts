import { expect, test } from "vitest";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { listDocuments } from "#people/facts/documents.ts";
import { testDatabase } from "#testing/database.ts";
import { person, wallet } from "#testing/people.ts";
import { savePeople } from "./save-people.ts";
import { settleRepeatedWallets } from "./settle-repeated-wallets.ts";

const BECH32 = `bc1${"q".repeat(39)}`;
const BASE58 = ["7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", "7ECDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"];
const upperCase = (address: string) => `0x${address.slice(2).toUpperCase()}`;
const main = wallet(0xabc);
const other = wallet(0xdef);

test("spellings of a wallet in a line are one wallet, in the place of the first", async () => {
  const { database } = await testDatabase();
  const verified_wallets = [upperCase(other), BECH32, ...BASE58, other, BECH32.toUpperCase(), upperCase(main), main];
  await savePeople(database, [person(1, { main_wallet: main, verified_wallets })]);
  const { rows } = await database.query("select address from passport_wallet order by position");
  // The main wallet may be among the verified ones, as in V1.
  expect(rows.map(({ address }) => address)).toEqual([main, other, BECH32, ...BASE58, main]);
});

test("stored people with repeated wallets are corrected, and no others", async () => {
  const { database } = await testDatabase();
  const people = [1, 2].map((id) => person(id, { main_wallet: wallet(id), verified_wallets: [other, BECH32] }));
  await savePeople(database, [...people, person(3, { main_wallet: null, verified_wallets: [other] })]);
  const readDocuments = async () =>
    (await listDocuments(database, [1, 2, 3])).sort((a, b) => a.passport_id - b.passport_id);
  const wanted = await readDocuments();
  // As an earlier version left it.
  await database.query(
    `insert into passport_wallet select passport_id, 3, '${other}' from unnest(array[1, 3]) as passport_id;
     update passport_document set etag = 'old' where passport_id = 1 or passport_id = 3`,
  );
  await refreshStanding(database);
  expect(await settleRepeatedWallets(database)).toBe(2);
  expect(await readDocuments()).toEqual(wanted);
  expect((await verifyDocuments(database, () => {})).different).toBe(0);
  expect(await settleRepeatedWallets(database)).toBe(0);
});
