import { expect, test } from "vitest";
import { createLog } from "#core/process/log.ts";
import { openHolderRequests } from "#holders/serve/serve-requests.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { signRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { solanaWallet } from "#testing/wallets.ts";
import { warnOfUnverified } from "./log-requests.ts";

test("a worker without HOLDER_KEY logs a warning if requests are waiting, and none otherwise", async () => {
  const { database } = await testDatabase();
  const wallet = solanaWallet("ada");
  await savePeople(database, [person(1, { main_wallet: wallet.address })]);
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  await warnOfUnverified(log, database);
  expect(lines).toEqual([]);
  await openHolderRequests(database).enqueue(signRequest(wallet, "hide", 1));
  await warnOfUnverified(log, database);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "warn", requests: 1, msg: expect.stringContaining("set HOLDER_KEY") },
  ]);
});
