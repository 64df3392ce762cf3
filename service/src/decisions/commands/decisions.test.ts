import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Database, queryColumn } from "#core/database/database.ts";
import { fingerprintOf } from "#decisions/keys.ts";
import { appendKeyDecision } from "#decisions/ledger.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, erase, hide, readTables } from "#testing/decide.ts";
import { exportFile } from "#testing/decisions-file.ts";
import { testFolder } from "#testing/folder.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { findName } from "#testing/look-up.ts";
import { person, wallet } from "#testing/people.ts";

const OTHER_KEY = "the OPT_OUT_KEY of another operator";

async function openServer() {
  const { database, url } = await testDatabase();
  await savePeople(
    database,
    [1, 2, 3].map((id) => person(id, { main_wallet: wallet(id) })),
  );
  const runWith = async (key: string | undefined, ...args: string[]) => {
    const environment = { DATABASE_URL: url, ...(key !== undefined && { OPT_OUT_KEY: key }) };
    return runCommand(["decisions", ...args], environment);
  };
  const run = (...args: string[]) => runWith(OPT_OUT_KEY, ...args);
  return { database, run, runWith };
}

describe("list", async () => {
  const { database, run } = await openServer();

  test("prints decisions newest first, about one person or from a time on, up to a limit", async () => {
    expect(await run("list", "--json")).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
    await hide(database, [1]);
    await decideNow(database, { action: "erase", by: "holder", passportId: 2, dueAt: new Date("2030-01-01") });
    await appendKeyDecision(database, "revoke key", "abc");
    const list = async (...args: string[]) => JSON.parse((await run("list", "--json", ...args)).stdout);
    expect(await list()).toMatchObject([
      { action: "revoke key", key_id: "abc", passport_id: null, in_force: false },
      { action: "erase", decided_by: "holder", passport_id: 2, due_at: "2030-01-01T00:00:00.000Z", in_force: true },
      { action: "hide", decided_by: "operator", passport_id: 1, is_foreign: false, in_force: true },
    ]);
    expect(await list("--passport", "1")).toMatchObject([{ action: "hide" }]);
    expect(await list("--since", "2100-01-01")).toEqual([]);
    const limited = await run("list", "--limit", "2");
    expect(limited.stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(limited.stderr).not.toBe("");
    expect((await run("list", "--limit", "3")).stderr).toBe("");
  });

  test.each([
    ["--since", "yesterday"],
    ["--limit", "0"],
    ["--passport", "x"],
  ])("2: %s %s", async (...args) => {
    expect(await run("list", ...args)).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("export", () => {
  test("writes all decisions, and says so if nothing authenticates them", async () => {
    const { database, run, runWith } = await openServer();
    await hide(database, [1, 2]);
    const path = join(testFolder(), "decisions.ndjson");
    const { code, stdout, stderr } = await run("export", path, "--json");
    expect({ code, stderr, ...JSON.parse(stdout) }).toEqual({ code: 0, stderr: "", decisions: 2, file: path });
    expect((await runWith(undefined, "export", path)).stderr).toContain("OPT_OUT_KEY");
  });

  test("4: over a file with decisions that this database lacks", async () => {
    const [live, restored] = [await openServer(), await openServer()];
    await hide(live.database, [1]);
    const path = await exportFile(live.database);
    expect(await restored.run("export", path)).toMatchObject({ code: 4, stdout: "" });
    expect((await restored.run("import", path, "--json")).code).toBe(0);
    expect((await restored.run("export", path)).code).toBe(0);
  });

  test("1: a folder that does not exist", async () => {
    const { run } = await openServer();
    const path = join(testFolder(), "no", "folder");
    expect(await run("export", path)).toMatchObject({ code: 1, stdout: "" });
    expect(existsSync(path)).toBe(false);
  });
});

describe("import", () => {
  const decideThere = async () => {
    const { database } = await openServer();
    await hide(database, [1]);
    await erase(database, [2]);
    return database;
  };

  test("of our own file: no question, and what a dry run said", async () => {
    const path = await exportFile(await decideThere());
    const { database, run } = await openServer();
    const before = await readTables(database);
    const planned = await run("import", path, "--dry-run", "--json");
    expect(planned.code).toBe(0);
    expect(await readTables(database)).toEqual(before);
    const imported = await run("import", path, "--json");
    expect(imported.code).toBe(0);
    expect(JSON.parse(imported.stdout)).toMatchObject({ dry_run: false, added: 2, hidden: [1], erased: [2] });
    expect({ ...JSON.parse(planned.stdout), dry_run: false }).toEqual(JSON.parse(imported.stdout));
    expect((await run("import", path)).code).toBe(0);
    expect(await findName(database, 1)).toBeNull();
  });

  test.each([
    ["with another key", OTHER_KEY],
    ["without a key", undefined],
  ])("of a file that was written %s: asks, and deletes nothing", async (_, key) => {
    const path = await exportFile(await decideThere(), key === undefined ? [] : [key]);
    const { database, run } = await openServer();
    const before = await readTables(database);
    const unanswered = await run("import", path, "--json");
    expect(unanswered).toMatchObject({ code: 2, stdout: "" });
    expect(unanswered.stderr).not.toBe("");
    expect((await run("import", path, "--dry-run")).code).toBe(0);
    expect(await readTables(database)).toEqual(before);
    const imported = await run("import", path, "--yes", "--json");
    expect({ code: imported.code, ...JSON.parse(imported.stdout) }).toMatchObject({
      code: 0,
      is_ours: false,
      hidden: [1, 2],
      erased: [],
    });
    // Nothing is new, so nobody is asked.
    expect(await run("import", path, "--json")).toMatchObject({ code: 0 });
    expect(await queryColumn(database, "select passport_id from person order by 1")).toEqual([1, 2, 3]);
  });

  test("4: a file that is none, or cut; 1: no file; 2: without a key that it needs", async () => {
    const { run, database } = await openServer();
    const before = await readTables(database);
    const path = join(testFolder(), "people.ndjson");
    writeFileSync(path, `${JSON.stringify(person(1))}\n`);
    expect(await run("import", path)).toMatchObject({ code: 4, stdout: "" });
    expect((await run("import", join(testFolder(), "none"))).code).toBe(1);
    const other: Database = await decideThere();
    await erase(other, [3], OTHER_KEY);
    expect(await run("import", await exportFile(other))).toMatchObject({ code: 2, stdout: "" });
    expect(await readTables(database)).toEqual(before);
  });
});

describe("give-up", () => {
  test("lets imports go on without a key that nobody has, after a question", async () => {
    const { database, run } = await openServer();
    await erase(database, [1], OTHER_KEY);
    const key = fingerprintOf(OTHER_KEY);
    expect((await run("give-up", key)).code).toBe(2);
    // A command that needs all keys.
    const path = await exportFile((await openServer()).database);
    expect((await run("import", path)).code).toBe(2);
    const given = await run("give-up", key, "--yes", "--json");
    expect({ code: given.code, ...JSON.parse(given.stdout) }).toEqual({ code: 0, key, people: 1 });
    expect((await run("import", path)).code).toBe(0);
    // It is not missing any more.
    expect(await run("give-up", key, "--yes")).toMatchObject({ code: 1, stdout: "" });
  });

  test("1: a key that is set, or that nobody needs", async () => {
    const { database, run } = await openServer();
    await erase(database, [1]);
    for (const key of [fingerprintOf(OPT_OUT_KEY), "0000000000000000"]) {
      expect(await run("give-up", key, "--yes")).toMatchObject({ code: 1, stdout: "" });
    }
  });
});
