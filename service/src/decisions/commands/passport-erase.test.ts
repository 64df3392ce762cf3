import { expect, test } from "vitest";
import { queryColumn } from "#core/database/database.ts";
import { fingerprintOf } from "#decisions/keys.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { erase, readTables } from "#testing/decide.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";

const NEW_KEY = "a new key of OPT_OUT_KEY that nobody could guess";

async function prepare() {
  const { database, url } = await testDatabase();
  await savePeople(database, [
    person(1, { main_wallet: wallet(1), verified_wallets: [wallet(1), wallet(2)] }),
    person(2, { main_wallet: wallet(3), verified_wallets: [wallet(2)] }),
    person(3, { main_wallet: wallet(1) }),
    person(4, { main_wallet: wallet(4) }),
  ]);
  const run = (key: string | undefined, ...args: string[]) =>
    runCommand(["passport", "erase", ...args], { DATABASE_URL: url, ...(key !== undefined && { OPT_OUT_KEY: key }) });
  const listStored = () => queryColumn<number>(database, "select passport_id from person order by 1");
  return { database, run, listStored };
}

test("names the records that lose a wallet, and with a dry run writes nothing", async () => {
  const { database, run, listStored } = await prepare();
  const plan = { wallets: 2, lose_a_wallet: [2, 3], lose_main_wallet: [3] };
  const before = await readTables(database);
  const planned = await run(OPT_OUT_KEY, "1", "--dry-run", "--json");
  expect(planned.code).toBe(0);
  expect(JSON.parse(planned.stdout)).toEqual({
    action: "erase",
    passport_ids: [1],
    dry_run: true,
    changed: false,
    would_change: true,
    ...plan,
  });
  expect(await run(OPT_OUT_KEY, "1")).toMatchObject({ code: 2, stdout: "" });
  expect(await readTables(database)).toEqual(before);
  const erased = await run(OPT_OUT_KEY, "1", "--yes", "--json");
  expect(erased.code).toBe(0);
  expect(JSON.parse(erased.stdout)).toMatchObject({ dry_run: false, changed: true, ...plan });
  expect(await listStored()).toEqual([2, 3, 4]);
});

test("several at once: a record that is erased too is not named as losing a wallet", async () => {
  const { run, listStored } = await prepare();
  const { code, stdout } = await run(OPT_OUT_KEY, "1", wallet(4), "3", "1", "--yes", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ passport_ids: [1, 4, 3], lose_a_wallet: [2], lose_main_wallet: [] });
  expect(await listStored()).toEqual([2]);
});

test("1: if one of several is not found, nobody is erased", async () => {
  const { run, listStored } = await prepare();
  expect(await run(OPT_OUT_KEY, "1", wallet(77), "--yes")).toMatchObject({ code: 1, stdout: "" });
  expect(await listStored()).toEqual([1, 2, 3, 4]);
});

test("a number that is not stored, or erased already, is recorded too", async () => {
  const { database, run } = await prepare();
  for (const _ of [1, 2]) {
    const { code, stdout } = await run(OPT_OUT_KEY, "99", "--yes", "--json");
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, changed: false, passport_ids: [99], wallets: 0 });
  }
  expect(await queryColumn(database, "select passport_id from decision")).toEqual([99, 99]);
});

test("2: without a key, or without one that earlier erasures need", async () => {
  const { database, run, listStored } = await prepare();
  expect(await run(undefined, "1", "--yes")).toMatchObject({ code: 2, stdout: "" });
  expect(await run(undefined, "1", "--dry-run")).toMatchObject({ code: 0 });
  await erase(database, [4]);
  const { code, stderr } = await run(NEW_KEY, "1", "--yes");
  expect(code).toBe(2);
  expect(stderr).toContain(fingerprintOf(OPT_OUT_KEY));
  expect(await listStored()).toEqual([1, 2, 3]);
  // The first key is for new erasures.
  expect(await run(`${NEW_KEY},${OPT_OUT_KEY}`, "1", "--yes")).toMatchObject({ code: 0 });
  const keys = "select distinct key from decision_wallet join decision using (decision_id) where passport_id = 1";
  expect(await queryColumn(database, keys)).toEqual([fingerprintOf(NEW_KEY)]);
});
