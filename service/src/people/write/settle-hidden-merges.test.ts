import { expect, test } from "vitest";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { changePerson } from "#privacy/change-person.ts";
import { testDatabase } from "#testing/database.ts";
import { person, wallet } from "#testing/people.ts";
import { savePeople } from "./save-people.ts";
import { settleHiddenMerges } from "./settle-hidden-merges.ts";

test("removes wallets of hidden absorbed records that an earlier version showed, once", async () => {
  const { database } = await testDatabase();
  await savePeople(database, [
    person(1),
    person(2, { main_wallet: wallet(2), verified_wallets: [wallet(9)] }),
    person(3, { main_wallet: wallet(3), verified_wallets: [wallet(9)] }),
  ]);
  await changePerson(database, { action: "merge", passportId: 2, into: 1 });
  await changePerson(database, { action: "merge", passportId: 3, into: 2 });
  await refreshStanding(database);
  // As an earlier version left it: hidden, but nothing else changed.
  await database.query(
    `update passport set hidden = true where passport_id = 2;
     delete from passport_document where passport_id = 2;
     delete from credential_document where passport_id = 2`,
  );
  const findTraces = async () => {
    const { rows } = await database.query(
      `select 'document' as place from passport_document where strpos(body, $1) > 0
       union all select 'list' from standing_2 where strpos(body, $1) > 0
       union all select 'owner' from wallet_owner where address = $1`,
      [wallet(2)],
    );
    return rows.map(({ place }) => place);
  };
  expect(await findTraces()).toEqual(["document", "list", "owner"]);
  expect(await settleHiddenMerges(database)).toBe(1);
  expect(await findTraces()).toEqual([]);
  // A shown record behind the hidden one still leads to the survivor, with what both list.
  const { rows } = await database.query("select address, passport_id from wallet_owner order by 1");
  expect(rows).toEqual([
    { address: wallet(3), passport_id: 1 },
    { address: wallet(9), passport_id: 1 },
  ]);
  expect((await verifyDocuments(database, () => {})).different).toBe(0);
  expect(await settleHiddenMerges(database)).toBe(0);
});
