import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { queryValue } from "#core/database/database.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { importLines } from "#testing/import-lines.ts";
import { findPassportByWallet } from "#testing/look-up.ts";
import { person, wallet } from "#testing/people.ts";
import { checkOptOutKeys } from "./check-opt-out-keys.ts";
import { erasePerson } from "./erase-person.ts";
import { fingerprintOf, hashWallet } from "./opt-out.ts";
import { insertOptOuts } from "./opt-outs.ts";

// An import protects the people who were erased here, or it is refused.

const OPT_OUT_KEY = "the key of tombstones that nobody guesses";
const NEW_KEY = "a new key of tombstones that nobody guesses";

/** Person 1 was erased here. The file has their wallet under another number. */
async function prepare() {
  const { database, url } = await testDatabase();
  await importLines(
    database,
    [1, 2].map((id) => person(id, { main_wallet: wallet(id) })),
  );
  await erasePerson(database, 1, OPT_OUT_KEY);
  const file = join(testFolder(), "people.ndjson");
  writeFileSync(file, JSON.stringify(person(9, { main_wallet: wallet(1) })));
  const run = (args: string[], key?: string) =>
    runCommand(args, { DATABASE_URL: url, ...(key && { OPT_OUT_KEY: key }) });
  const importFile = (key?: string, ...args: string[]) => run(["import", file, "--no-standing", ...args], key);
  const isBack = async () => (await findPassportByWallet(database, wallet(1))) !== null;
  const listActions = async () =>
    (await database.query("select action, people from audit where people is not null")).rows;
  return { database, run, importFile, isBack, listActions };
}

describe("an import", () => {
  test.each([
    ["no key", undefined, "OPT_OUT_KEY is not set"],
    ["another key", NEW_KEY, "OPT_OUT_KEY lacks a key"],
  ])("is refused with %s, before anything is written, also as a dry run", async (_, key, message) => {
    const { importFile, isBack, database } = await prepare();
    for (const args of [[], ["--dry-run"], ["--without-opt-out-key"]]) {
      const { code, stderr } = await importFile(key, ...args);
      expect(code).toBe(2);
      expect(stderr).toContain(
        `${message}: without key ${fingerprintOf(OPT_OUT_KEY)}, 1 person who opted out is recognised`,
      );
      expect(stderr).toContain("the newest first, with commas between them");
    }
    expect(await isBack()).toBe(false);
    expect(await queryValue(database, "select count(*)::int from passport")).toBe(1);
  });

  test("recognises tombstones under all keys of OPT_OUT_KEY, and the first makes new ones", async () => {
    const { run, importFile, isBack, database } = await prepare();
    const both = `${NEW_KEY},${OPT_OUT_KEY}`;
    expect((await importFile(both)).code).toBe(0);
    expect(await isBack()).toBe(false);
    expect((await run(["passport", "erase", "2", "--yes"], both)).code).toBe(0);
    expect(await queryValue(database, "select key from opt_out_wallet where passport_id = 2")).toBe(
      fingerprintOf(NEW_KEY),
    );
  });

  test("goes on without an older key if the operator accepts it, which is audited", async () => {
    const { run, importFile, listActions } = await prepare();
    await run(["passport", "erase", "2", "--yes"], `${NEW_KEY},${OPT_OUT_KEY}`);
    expect((await importFile(NEW_KEY)).code).toBe(2);
    const accepted = await importFile(NEW_KEY, "--without-opt-out-key");
    expect(accepted.code).toBe(0);
    expect(accepted.stderr).toContain("recognised by passport number only");
    expect(await listActions()).toEqual([{ action: "import without key", people: 1 }]);
    // Never without the newest.
    expect((await importFile(OPT_OUT_KEY, "--without-opt-out-key")).code).toBe(2);
  });

  test("never needs the keys of another server", async () => {
    const { database, url } = await testDatabase();
    const wallets = [hashWallet("the key of another server, long enough", wallet(1))];
    await insertOptOuts(database, [{ passport_id: 7, key: "0123456789abcdef", wallets }], "other");
    const file = join(testFolder(), "people.ndjson");
    writeFileSync(file, JSON.stringify(person(1)));
    expect((await runCommand(["import", file], { DATABASE_URL: url })).code).toBe(0);
  });
});

test("a key is given up once, audited, and is not needed afterwards", async () => {
  const { run, importFile, listActions } = await prepare();
  const key = fingerprintOf(OPT_OUT_KEY);
  expect((await run(["opt-outs", "keys"])).stdout).toMatch(new RegExp(`${key} +here +1 +no`));
  expect((await run(["opt-outs", "give-up", key, "--as", "lost", "--yes"])).code).toBe(0);
  expect((await run(["opt-outs", "give-up", key, "--as", "lost", "--yes"])).stderr).toContain("was given up before");
  expect((await run(["opt-outs", "give-up", "1", "--as", "lost", "--yes"])).stderr).toContain(
    "No tombstone has the key 1.",
  );
  expect((await importFile()).code).toBe(0);
  expect(await listActions()).toEqual([{ action: "lost key", people: 1 }]);
});

test("`doctor` compares, and `passport erase` makes no tombstone under another key", async () => {
  const { database, run } = await prepare();
  expect(await checkOptOutKeys(database, { optOutKeys: [OPT_OUT_KEY] })).toMatchObject({ state: "ok" });
  expect(await checkOptOutKeys(database, { optOutKeys: [NEW_KEY] })).toMatchObject({ state: "warning" });
  const { code, stderr } = await run(["passport", "erase", "2", "--yes"], NEW_KEY);
  expect([code, stderr]).toEqual([2, expect.stringContaining("OPT_OUT_KEY lacks a key")]);
});

test("a worker with another key goes on with everything but erasures", async () => {
  const { database } = await testDatabase();
  const { prepare, endGrace, requests } = holderTests(database);
  const first = await prepare();
  await erasePerson(database, first.id, OPT_OUT_KEY);
  const { main, ask, work } = await prepare();
  const other = { optOutKey: NEW_KEY, optOutKeys: [NEW_KEY] };
  const same = { optOutKey: OPT_OUT_KEY, optOutKeys: [OPT_OUT_KEY] };
  for (const action of ["hide", "see", "unhide", "withdraw"] as const) {
    expect(await ask(main, action, other)).toMatchObject({ state: "done" });
  }
  const { code } = await ask(main, "erase", same);
  await endGrace();
  await work(other);
  expect(await requests.stateOf(code)).toMatchObject({ state: "waiting" });
  await work(same);
  expect(await requests.stateOf(code)).toMatchObject({ state: "done" });
});
