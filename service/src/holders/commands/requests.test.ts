import { describe, expect, test } from "vitest";
import { processRequests } from "#holders/manage/process-requests.ts";
import { openHolderRequests } from "#holders/serve/serve-requests.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { evmWallet } from "#testing/wallets.ts";

describe("credence requests", async () => {
  const { database, url } = await testDatabase();
  const [ada, bob] = [evmWallet("ada"), evmWallet("bob")];
  await savePeople(database, [
    person(1, { main_wallet: ada.address }),
    person(2, { main_wallet: bob.address }),
    person(3, { verified_wallets: [bob.address] }),
  ]);
  const { enqueue } = openHolderRequests(database);
  await enqueue(signRequest(ada, "hide", 1));
  await enqueue(signRequest(bob, "erase", 2));
  await processRequests(database, { ...HOLDERS_ON, mode: "review" }, (error) => expect.unreachable(String(error)));
  const run = (...args: string[]) => runCommand(["requests", ...args], { DATABASE_URL: url });

  test("an empty list says whether there are closed requests", async () => {
    const other = await testDatabase();
    const list = async () => (await runCommand(["requests", "list"], { DATABASE_URL: other.url })).stdout;
    expect(await list()).toBe("No requests.\n");
    await openHolderRequests(other.database).enqueue(signRequest(ada, "hide", 1));
    await other.database.query("update holder_request set state = 'refused', completed_at = now()");
    expect(await list()).toBe("No open requests. List the closed ones with --all.\n");
  });

  test("lists, shows, approves and refuses", async () => {
    const { stdout } = await run("list");
    expect(stdout.trimEnd().split("\n").slice(1)).toEqual([
      expect.stringMatching(/^ +2 +2 +erase +review +/),
      expect.stringMatching(/^ +1 +1 +hide +review +/),
    ]);
    const shown = await run("show", "2", "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      action: "erase",
      state: "review",
      others: [3],
      address: bob.address,
    });
    expect(await run("approve", "1")).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --yes") });
    expect(JSON.parse((await run("approve", "1", "--yes", "--json")).stdout)).toMatchObject({ state: "done" });
    expect(await run("approve", "1", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Request 1 is closed"),
    });
    const refused = await run("refuse", "2", "--reason", "Shared.", "--yes");
    expect(refused).toMatchObject({
      code: 0,
      stdout: "Request 2: refused.\n",
      stderr: expect.stringContaining("Also involved, by a shared wallet: passport 3."),
    });
    const { rows } = await database.query("select passport_id, hidden from passport order by 1");
    expect(rows.map(({ hidden }) => hidden)).toEqual([true, false, false]);
  });

  test("2: approving an erasure needs OPT_OUT_KEY; 1: an unknown request", async () => {
    await database.query("delete from holder_request");
    await enqueue(signRequest(bob, "erase", 2, new Date(Date.now() - 1_000)));
    expect(await run("approve", "3", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("OPT_OUT_KEY"),
    });
    expect(await run("show", "99")).toMatchObject({ code: 1, stderr: expect.stringContaining("no request 99") });
  });
});
