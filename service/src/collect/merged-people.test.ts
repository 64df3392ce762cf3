import { join } from "node:path";
import { expect, test } from "vitest";
import { savePeople } from "#people/write/save-people.ts";
import { collectQuickly } from "#testing/collect-quickly.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { findPassportByWallet } from "#testing/look-up.ts";
import { oldServer } from "#testing/old-server.ts";
import { person, wallet } from "#testing/people.ts";
import { readSnapshotPeople } from "#testing/read-snapshot.ts";
import { whenDone } from "#testing/when-done.ts";

const merged = person(7, { main_wallet: wallet(7), verified_wallets: [wallet(7)], merged: true });

test.each([
  ["the other record lists the wallet, and the list alone is copied", [wallet(9), wallet(7)], null, 9],
  ["the other record lists the wallet, and both are copied", [wallet(9), wallet(7)], [7, 9], 9],
  ["only the merged record lists it, and both are copied", [wallet(9)], [7, 9], 7],
  ["only the merged record lists it, and the list alone is copied", [wallet(9)], null, null],
])("a copy finds the wallet of a merged record: %s", async (_, verified_wallets, ids, found) => {
  const server = await oldServer([person(9, { main_wallet: wallet(9), verified_wallets }), merged]);
  whenDone(server.close);
  const out = join(testFolder(), "out");
  await collectQuickly(server.address, out, { ids });
  const { database } = await testDatabase();
  await savePeople(database, await readSnapshotPeople(out));
  expect((await findPassportByWallet(database, wallet(7)))?.passportId ?? null).toBe(found);
});
