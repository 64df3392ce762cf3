import { existsSync } from "node:fs";
import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Database } from "#core/database/database.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { erase, hide } from "#testing/decide.ts";
import { exportFile, importFile } from "#testing/decisions-file.ts";
import { testFolder } from "#testing/folder.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { openDecisions, readDecisions } from "./file.ts";
import { exportDecisions, keepFile, knowsFile, requireKeyOfFile } from "./keep-file.ts";

const OTHER_KEY = "another key that nobody could guess";

async function openServer(): Promise<Database> {
  const { database } = await testDatabase();
  await savePeople(database, [person(1, { main_wallet: wallet(1) }), person(2)]);
  return database;
}

function keep(database: Database, decisionsFile: string | null) {
  const messages: string[] = [];
  const keeper = keepFile(database, { decisionsFile, optOutKeys: [OPT_OUT_KEY] }, (message) => messages.push(message));
  return { ...keeper, messages };
}

const countIn = async (path: string): Promise<number> =>
  (await readDecisions(openDecisions(path), [OPT_OUT_KEY])).decisions.length;

test("a worker writes the file at its next check after a decision, and not without one", async () => {
  const path = join(testFolder(), "decisions.ndjson");
  const database = await openServer();
  const { write, report, isCurrent } = keep(database, path);
  expect(await isCurrent()).toBe(true);
  expect(existsSync(path)).toBe(false);
  expect(report()).toEqual({ isOlder: false, ageMs: null });
  await write(true);
  expect(await countIn(path)).toBe(0);
  await hide(database, [1, 2]);
  await write(true);
  expect(await countIn(path)).toBe(2);
  const written = await readFile(path, "utf8");
  await write(true);
  expect(await readFile(path, "utf8")).toBe(written);
  expect(report().ageMs).toBeLessThan(10_000);
});

test("a deleted file is written again", async () => {
  const database = await openServer();
  await hide(database, [1]);
  const path = await exportFile(database);
  const { write } = keep(database, path);
  await write(true);
  await copyFile(path, `${path}.copy`);
  await rm(path);
  await write(true);
  expect(await readFile(path, "utf8")).toBe(await readFile(`${path}.copy`, "utf8"));
});

test("a restored database does not write over the file, until it is imported", async () => {
  const [live, restored] = [await openServer(), await openServer()];
  await hide(live, [1]);
  const path = await exportFile(live);
  const written = await readFile(path, "utf8");
  // More decisions than the file has: their number says nothing.
  await hide(restored, [1, 2, 1, 2]);
  const { write, isCurrent, report, messages } = keep(restored, path);
  for (const _ of [1, 2]) {
    await write(true);
    expect(await isCurrent()).toBe(false);
  }
  await expect(exportDecisions(restored, path, [OPT_OUT_KEY])).rejects.toMatchObject({ name: "SnapshotRefused" });
  expect(await readFile(path, "utf8")).toBe(written);
  expect(report()).toEqual({ isOlder: true, ageMs: null });
  expect(messages).toHaveLength(1);
  await importFile(restored, path);
  await write(true);
  expect(await isCurrent()).toBe(true);
  expect(await countIn(path)).toBe(5);
});

test("a newer file that is copied there while a worker runs is not written over", async () => {
  const [live, restored] = [await openServer(), await openServer()];
  await hide(restored, [2]);
  const path = await exportFile(restored);
  const { write, isCurrent } = keep(restored, path);
  await write(true);
  await hide(live, [1]);
  await copyFile(await exportFile(live), path);
  await hide(restored, [1]);
  await write(true);
  expect(await isCurrent()).toBe(false);
  expect(await countIn(path)).toBe(1);
});

test("decisions that a database has only as those of another authority are not written over their own form", async () => {
  const [live, restored] = [await openServer(), await openServer()];
  await erase(live, [1]);
  const path = await exportFile(live);
  // Restored with another key, by mistake.
  await importFile(restored, path, { keys: [OTHER_KEY] });
  expect(await knowsFile(restored, path)).toBe(false);
  const { write, isCurrent } = keep(restored, path);
  await write(true);
  expect(await isCurrent()).toBe(false);
  expect(await readDecisions(openDecisions(path), [OPT_OUT_KEY])).toMatchObject({
    isOurs: true,
    decisions: [{ action: "erased", wallets: [expect.any(String)] }],
  });
  await importFile(restored, path);
  await write(true);
  expect(await isCurrent()).toBe(true);
});

test("without DECISIONS_FILE nothing is written; with it, a key is needed", async () => {
  const { write, isCurrent, report } = keep(await openServer(), null);
  await write(true);
  expect(await isCurrent()).toBe(true);
  expect(report()).toEqual({ isOlder: false, ageMs: null });
  requireKeyOfFile({ decisionsFile: null, optOutKeys: [] });
  requireKeyOfFile({ decisionsFile: "file", optOutKeys: [OPT_OUT_KEY] });
  expect(() => requireKeyOfFile({ decisionsFile: "file", optOutKeys: [] })).toThrow("OPT_OUT_KEY");
});
