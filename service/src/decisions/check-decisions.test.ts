import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Database, openDatabase } from "#core/database/database.ts";
import { upsertWorker } from "#core/process/report-worker.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, erase, hide, show } from "#testing/decide.ts";
import { exportFile, importFile } from "#testing/decisions-file.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";
import { checkDecisionsFile, checkErasures } from "./check-decisions.ts";

async function openServer() {
  const { database, name } = await testDatabase();
  await savePeople(database, [person(1, { main_wallet: wallet(1) }), person(2, { main_wallet: wallet(1) }), person(3)]);
  return { database, name };
}

const checkFile = (database: Database, decisionsFile: string | null = null) =>
  checkDecisionsFile(database, { decisionsFile });

test("a restored database that lacks decisions of a file is a problem until it is imported", async () => {
  const [{ database: live }, { database: restored }] = [await openServer(), await openServer()];
  await hide(live, [1]);
  const path = await exportFile(live);
  expect(await checkFile(live, path)).toMatchObject({ state: "warning" });
  expect(await checkFile(restored, path)).toMatchObject({ state: "problem" });
  await importFile(restored, path);
  expect(await checkFile(restored, path)).toMatchObject({ state: "warning" });
});

test("a worker whose file has more than the database is a problem", async () => {
  const { database } = await openServer();
  await upsertWorker(database, randomUUID(), { verifies: true, erases: true }, { isOlder: true, ageMs: null });
  expect(await checkFile(database)).toMatchObject({ state: "problem" });
});

test("it is well if a worker writes the file, once each had the time to say so", async () => {
  const { database } = await openServer();
  const report = (ageMs: number | null) =>
    upsertWorker(database, randomUUID(), { verifies: true, erases: true }, { isOlder: false, ageMs });
  expect(await checkFile(database)).toMatchObject({ state: "warning" });
  await report(null);
  expect(await checkFile(database)).toMatchObject({ state: "ok", finding: expect.stringContaining("just started") });
  await database.query("update worker_process set started_at = started_at - interval '30 seconds'");
  expect(await checkFile(database)).toMatchObject({ state: "warning" });
  await report(0);
  expect(await checkFile(database)).toMatchObject({ state: "ok" });
});

test("a worker that runs and cannot write its file, as on a full disk, is a warning, also beside one that can", async () => {
  const { database } = await openServer();
  const report = (ageMs: number) =>
    upsertWorker(database, randomUUID(), { verifies: true, erases: true }, { isOlder: false, ageMs });
  await report(0);
  expect(await checkFile(database)).toMatchObject({ state: "ok" });
  await report(900_000);
  expect(await checkFile(database)).toMatchObject({ state: "warning", finding: expect.stringContaining("15 min") });
});

test("erasures without a request are listed until the operator decides", async () => {
  const { database } = await openServer();
  for (const passportId of [1, 3]) {
    await decideNow(database, { action: "erase", by: "holder", passportId, request: randomUUID(), dueAt: new Date() });
  }
  expect(await checkFile(database)).toMatchObject({ state: "warning", passport_ids: [1, 3] });
  await show(database, [1]);
  expect(await checkFile(database)).toMatchObject({ passport_ids: [3] });
  await erase(database, [3]);
  expect(await checkFile(database)).not.toHaveProperty("passport_ids");
});

test("a missing key of erased people is a warning; records without their main wallet are named", async () => {
  const { database, name } = await openServer();
  const check = (...optOutKeys: string[]) => checkErasures(database, { optOutKeys });
  expect(await check()).toMatchObject({ state: "ok" });
  await erase(database, [1]);
  expect(await check("another key that nobody could guess")).toMatchObject({ state: "warning" });
  expect(await check(OPT_OUT_KEY)).toMatchObject({ state: "ok", finding: expect.stringMatching(/passport 2\b/) });
  const serving = openDatabase({
    url: urlOf(name, SERVE_ROLE),
    name: "test",
    maxConnections: 1,
    statementTimeoutMs: 0,
  });
  whenDone(() => serving.end());
  // A server may not read the ledger.
  expect((await checkErasures(serving, { optOutKeys: [] })).state).toBe("ok");
});
