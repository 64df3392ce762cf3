import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { type Database, openDatabase } from "#core/database/database.ts";
import { upsertWorker } from "#core/process/report-worker.ts";
import { diagnose } from "#doctor/diagnose.ts";
import { refuseRequest } from "#holders/manage/operator-decisions.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { listHiddenByHolder } from "#people/facts/hidden-by-holder.ts";
import { savePeople } from "#people/write/save-people.ts";
import { listAudit } from "#privacy/audit.ts";
import { changePerson } from "#privacy/change-person.ts";
import { erasePerson } from "#privacy/erase-person.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { HOLDERS_ON } from "#testing/holders.ts";
import { importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { whenDone } from "#testing/when-done.ts";
import { exportProtections, updateProtections } from "./export-protections.ts";
import { importProtections } from "./import-protections.ts";

const SETTINGS = readConfig({});
const NOTHING_TO_DECIDE = { state: "warning", finding: "no worker runs that writes them" };
const folder = await mkdtemp(join(tmpdir(), "credence-protections-"));
whenDone(() => rm(folder, { recursive: true }));
let files = 0;
const newPath = (): string => {
  files += 1;
  return join(folder, `${files}.ndjson`);
};

const importFile = (database: Database, path: string) =>
  importProtections(database, path, {
    optOutKeys: [OPT_OUT_KEY],
    graceMs: HOLDERS_ON.graceMs,
    onProgress: () => {},
  });

/** A database, and a copy of it: the backup. */
async function backUp(prepare: (database: Database) => Promise<void>) {
  const live = await testDatabase();
  // PostgreSQL copies a database without connections only.
  const first = openDatabase({ url: live.url, name: "test", maxConnections: 4, statementTimeoutMs: 0 });
  await prepare(first).finally(() => first.end());
  const backup = await testDatabase(`template ${live.name}`);
  return { live: live.database, backup: backup.database, backupUrl: backup.url };
}

const owner = { label: "Ada's dashboard", contact: "ada@example.org", expiresAt: null };

describe("a file of protections", () => {
  test("can be read by its owner only, and contains no names, wallets, hashes of keys, labels or contacts", async () => {
    const { database } = await testDatabase();
    const { prepare } = holderTests(database);
    const { ask, main, id } = await prepare();
    const { keyId } = await issueKey(database, owner);
    expect((await ask(main, "erase")).state).toBe("waiting");
    const path = newPath();
    const { lines } = await exportProtections(database, path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await readFile(path, "utf8");
    const kinds = text
      .trimEnd()
      .split("\n")
      .map((line) => Object.keys(JSON.parse(line))[0]);
    expect(kinds).toEqual(["format", "visibility", "erasure", "key", "end"]);
    expect(lines).toBe(3);
    expect(text).toContain(`"passport_id" : ${id}, "hidden" : true`);
    expect(text).toContain(keyId);
    const { rows } = await database.query("select encode(hash, 'hex') as hash from api_key");
    for (const secret of [main.address, "Ada", owner.contact, rows[0].hash]) expect(text).not.toContain(secret);
  });

  test("is refused if it is truncated or changed, and nothing is written", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1), person(2)]);
    await changePerson(database, { action: "hide", passportId: 1 });
    await changePerson(database, { action: "hide", passportId: 2 });
    const path = newPath();
    await exportProtections(database, path);
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const { database: other } = await testDatabase();
    await savePeople(other, [person(1), person(2)]);
    const refused = async (changed: string[], message: string) => {
      const copy = newPath();
      await writeFile(copy, changed.join("\n"));
      await expect(importFile(other, copy)).rejects.toThrow(message);
    };
    await refused(lines.slice(0, -1), "is incomplete");
    await refused(lines.toSpliced(1, 1), "is incomplete");
    await refused(lines.slice(1), "is not a file of protections");
    await refused([...lines, lines[1] as string], "Line 5");
    await refused(lines.with(1, '{"visibility": {"passport_id": 1, "hidden": "yes"}}'), "Line 2");
    await refused([], "is not a file of protections");
    expect((await other.query("select from passport where hidden")).rowCount).toBe(0);
    expect((await importFile(other, path)).hidden).toEqual([1, 2]);
  });

  test("is not overwritten by a database that is older, and is by one that imported it", async () => {
    const { live, backup } = await backUp((database) => savePeople(database, [person(1)]).then(() => {}));
    const path = newPath();
    expect(await updateProtections(live, path)).toBe(true);
    const text = await readFile(path, "utf8");
    // More changes than the file has: the number of changes alone would not tell.
    for (const action of ["hide", "unhide", "hide"] as const) await changePerson(backup, { action, passportId: 1 });
    expect(await updateProtections(backup, path)).toBe(false);
    await expect(exportProtections(backup, path)).rejects.toThrow("This database is older than");
    const checks = await diagnose(backup, { ...SETTINGS, protectionsFile: path });
    expect(checks.find(({ name }) => name === "protections")).toMatchObject({ state: "problem" });
    expect(await readFile(path, "utf8")).toBe(text);
    await importFile(backup, path);
    expect(await updateProtections(backup, path)).toBe(true);
    expect(await readFile(path, "utf8")).not.toBe(text);
    // Nothing changed: not written again.
    const written = await readFile(path, "utf8");
    expect(await updateProtections(backup, path)).toBe(true);
    expect(await readFile(path, "utf8")).toBe(written);
  });
});

describe("a restored database", () => {
  test("lets an erasure wait for its whole grace period, also with a file that is older than the backup", async () => {
    const path = newPath();
    const { backup } = await backUp(async (database) => {
      await exportProtections(database, path);
      const { prepare, endGrace } = holderTests(database);
      const { ask, main } = await prepare();
      await ask(main, "erase");
      await endGrace();
    });
    const { erasures_waiting, erased } = await importFile(backup, path);
    expect(erasures_waiting).toHaveLength(1);
    expect(erased).toEqual([]);
    const { rows } = await backup.query(
      "select due_at - now() > interval '71 hours' as waits, state from holder_request",
    );
    expect(rows).toEqual([{ waits: true, state: "waiting" }]);
  });

  test("leaves an erasure that was withdrawn after the backup to the operator, who can refuse it", async () => {
    let id = 0;
    const { live, backup } = await backUp(async (database) => {
      const { prepare } = holderTests(database);
      const ada = await prepare();
      id = ada.id;
      await ada.ask(ada.main, "erase");
    });
    await live.query("update holder_request set withdrawn_at = now()");
    const path = newPath();
    await exportProtections(live, path);
    const { erasures_to_decide } = await importFile(backup, path);
    expect(erasures_to_decide).toHaveLength(1);
    const [requestId] = erasures_to_decide as [number];
    expect((await refuseRequest(backup, requestId, "Withdrawn.")).refusal).toBeNull();
    expect(
      (await backup.query("select passport_id from passport_document where passport_id = $1", [id])).rowCount,
    ).toBe(1);
  });

  test.each([
    ["ended", "update holder_request set state = 'refused', completed_at = now()"],
    ["ended and was deleted", "delete from holder_request"],
  ])(
    "keeps the holder's hide after an erasure that %s after the backup, when the operator refuses it",
    async (_case, end) => {
      let id = 0;
      const { live, backup } = await backUp(async (database) => {
        const { prepare } = holderTests(database);
        const ada = await prepare();
        id = ada.id;
        await ada.ask(ada.main, "erase");
      });
      await live.query(end);
      await changePerson(live, { action: "unhide", passportId: id });
      const { ask, main } = await holderTests(live).prepare();
      expect(await ask(main, "hide")).toMatchObject({ state: "done" });
      const path = newPath();
      await exportProtections(live, path);
      const [requestId] = (await importFile(backup, path)).erasures_to_decide as [number];
      expect((await refuseRequest(backup, requestId, "Ended before.")).refusal).toBeNull();
      expect(
        (await backup.query("select passport_id, hidden from passport where passport_id = $1", [id])).rows,
      ).toEqual([{ passport_id: id, hidden: true }]);
    },
  );

  test("keeps what an import could not apply in its next file", async () => {
    const { live, backup } = await backUp(async () => {});
    const { prepare } = holderTests(live);
    const ada = await prepare();
    await ada.ask(ada.main, "erase");
    await changePerson(live, { action: "hide", passportId: ada.bobId });
    const [first, second] = [newPath(), newPath()];
    await exportProtections(live, first);
    await importFile(backup, first);
    await exportProtections(backup, second);
    const { database: again } = await testDatabase();
    const imported = await importFile(again, second);
    expect(imported).toMatchObject({ kept: [ada.id, ada.bobId], erasures_unsigned: [ada.id] });
    await importLines(again, [ada.ada, ada.bob]);
    expect((await again.query("select from passport_document")).rowCount).toBe(0);
    const checks = await diagnose(again, SETTINGS);
    expect(checks.find(({ name }) => name === "protections")).toMatchObject({ passport_ids: [ada.id] });
    await changePerson(again, { action: "unhide", passportId: ada.id });
    expect((await again.query("select from unsigned_erasure")).rowCount).toBe(0);
  });

  test("hides who was shown by an import before the protections, and not who was shown by the operator", async () => {
    const { live, backup } = await backUp((database) => savePeople(database, [person(1), person(2)]).then(() => {}));
    for (const passportId of [1, 2]) await changePerson(live, { action: "hide", passportId });
    const path = newPath();
    await exportProtections(live, path);
    for (const passportId of [1, 2]) await changePerson(backup, { action: "hide", passportId });
    await importLines(backup, [person(1, {}, { operator: { hidden: false } })]);
    await changePerson(backup, { action: "unhide", passportId: 2 });
    expect((await importFile(backup, path)).hidden).toEqual([1]);
    expect((await backup.query("select passport_id from passport_document")).rows).toEqual([{ passport_id: 2 }]);
  });

  test("an operator's hide of a person who is not stored stays the operator's", async () => {
    const { live, backup } = await backUp(async () => {});
    const { prepare } = holderTests(live);
    const { bob, bobId } = await prepare();
    await changePerson(live, { action: "hide", passportId: bobId });
    const path = newPath();
    await exportProtections(live, path);
    expect((await importFile(backup, path)).kept).toEqual([bobId]);
    await importLines(backup, [{ ...bob, operator: { hidden: true, hidden_by: "holder" } }]);
    expect(await listHiddenByHolder(backup, [bobId])).toEqual([]);
    expect((await backup.query("select passport_id, hidden from passport")).rows).toEqual([
      { passport_id: bobId, hidden: true },
    ]);
  });

  test("hides of people who are not stored apply once, are in the audit log, and keep the holder's part", async () => {
    const { live, backup } = await backUp(async () => {});
    const { ada, id, ask, main, bob, bobId } = await holderTests(live).prepare();
    await ask(main, "hide");
    for (const passportId of [id, bobId]) await changePerson(live, { action: "hide", passportId });
    const path = newPath();
    await exportProtections(live, path);
    expect((await importFile(backup, path)).kept).toEqual([id, bobId]);
    await importLines(backup, [ada, bob]);
    const hides = (await listAudit(backup, null, 10)).filter(({ action }) => action === "hide");
    expect(hides.map(({ passport_id }) => passport_id).toSorted()).toEqual([id, bobId]);
    await changePerson(backup, { action: "unhide", passportId: bobId });
    const shown = { hidden: false };
    await importLines(backup, [
      { ...ada, operator: shown },
      { passport: { ...bob.passport, score: 1 }, credentials: [], operator: shown },
    ]);
    expect((await backup.query("select passport_id, hidden from passport order by passport_id")).rows).toEqual([
      { passport_id: id, hidden: true },
      { passport_id: bobId, hidden: false },
    ]);
  });

  test("searches for opted-out wallets when the import is repeated with the key", async () => {
    const shared = { main_wallet: wallet(1) };
    const { live, backup } = await backUp((database) =>
      savePeople(database, [person(1, shared), person(2, shared)]).then(() => {}),
    );
    await erasePerson(live, 1, OPT_OUT_KEY);
    expect((await live.query("select from passport")).rowCount).toBe(0);
    const path = newPath();
    await exportProtections(live, path);
    const withoutKey = { optOutKeys: [], graceMs: 0, onProgress: () => {} };
    expect((await importProtections(backup, path, withoutKey)).erased).toEqual([1, 2]);
    expect((await importFile(backup, path)).erased).toEqual([]);
  });

  test("no worker processes requests while another one has found that the database is older than its file", async () => {
    const { database } = await testDatabase();
    const { prepare } = holderTests(database);
    const { send, work, main } = await prepare();
    await send(main, "hide");
    const abilities = { verifies: true, erases: true };
    const worker = randomUUID();
    await upsertWorker(database, worker, abilities, { isOlder: true, ageMs: null });
    expect((await work()).advanced).toBe(0);
    await upsertWorker(database, worker, abilities, { isOlder: false, ageMs: null });
    expect((await work()).advanced).toBe(1);
  });
});

test("`doctor` lists people to decide on by number until somebody decides", async () => {
  const { live, backup, backupUrl } = await backUp(async (database) => {
    await savePeople(database, [person(1), person(2)]);
    for (const passportId of [1, 2]) await changePerson(database, { action: "hide", passportId });
  });
  for (const passportId of [1, 2]) await changePerson(live, { action: "unhide", passportId });
  const path = newPath();
  await exportProtections(live, path);
  expect(await importFile(backup, path)).toMatchObject({ shown_in_file: [1, 2] });
  const findCheck = async () => (await diagnose(backup, SETTINGS)).find(({ name }) => name === "protections");
  expect(await findCheck()).toMatchObject({
    state: "warning",
    finding: "shown after the backup, and hidden here: 1, 2",
    passport_ids: [1, 2],
  });
  await changePerson(backup, { action: "unhide", passportId: 1 });
  expect(await findCheck()).toMatchObject({ passport_ids: [2] });
  // As `doctor` says, with the command.
  expect((await runCommand(["passport", "hide", "2", "--yes"], { DATABASE_URL: backupUrl })).code).toBe(0);
  expect(await findCheck()).toMatchObject(NOTHING_TO_DECIDE);
});

test("`doctor` warns if no running worker writes protections, once each had the time to say so", async () => {
  const { database } = await testDatabase();
  const report = async (ageMs: number | null) => {
    await upsertWorker(database, randomUUID(), { verifies: true, erases: true }, { ageMs, isOlder: false });
    return (await diagnose(database, SETTINGS)).find(({ name }) => name === "protections");
  };
  expect(await report(null)).toMatchObject({ state: "ok", finding: expect.stringContaining("just started") });
  await database.query("update worker_process set started_at = started_at - interval '30 seconds'");
  expect((await diagnose(database, SETTINGS)).find(({ name }) => name === "protections")).toMatchObject({
    state: "warning",
    finding: "no running worker has a PROTECTIONS_FILE",
  });
  expect(await report(0)).toMatchObject({ state: "ok", finding: "a worker writes them to its PROTECTIONS_FILE" });
});
