import { randomUUID } from "node:crypto";
import type { Decision } from "@credence/contract/decision.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Database, queryColumn, queryValue } from "#core/database/database.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, erase, hide, insertRequest, readTables, show } from "#testing/decide.ts";
import { exportFile, importFile, selectDecisions } from "#testing/decisions-file.ts";
import { importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { findPassportByWallet } from "#testing/look-up.ts";
import { person, wallet } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { openDecisions, readDecisions } from "./file.ts";
import { appendKeyDecision, findState, type NewDecision } from "./ledger.ts";
import { uniteDecisions } from "./unite.ts";

const OTHER_KEY = "the OPT_OUT_KEY of another operator";
const HOUR_MS = 3_600_000;

const PEOPLE = [1, 2, 3, 4].map((id) => person(id, { main_wallet: wallet(id), verified_wallets: [wallet(id % 4)] }));

/** A database with four people. Each lists the wallet of the person before them. */
async function openServer(): Promise<Database> {
  const { database } = await testDatabase();
  await importLines(database, PEOPLE);
  return database;
}

const listShown = (database: Database): Promise<number[]> =>
  queryColumn(database, "select passport_id from passport_document order by 1");
const listStored = (database: Database): Promise<number[]> =>
  queryColumn(database, "select passport_id from person order by 1");
const expectVerified = async (database: Database) =>
  expect((await verifyDocuments(database, () => {})).differences).toEqual([]);

/** The ledger, and what follows from it. */
async function readState(database: Database) {
  const all = await readTables(database);
  const tables = ["decision", "decision_end", "decision_wallet", "person", "person_wallet", "passport_document"];
  return [...tables, "credential_document", "wallet_owner"].map((table) => [table, all[table]]);
}

describe("the union of ledgers", () => {
  test("hides, shows and erases as the other server did, and the same file again changes nothing", async () => {
    const [one, other] = [await openServer(), await openServer()];
    await hide(one, [1, 2, 9]);
    await show(one, [2]);
    await erase(one, [4]);
    const file = await exportFile(one);
    const expected = {
      decisions: 5,
      is_ours: true,
      hidden: [1],
      shown: [],
      erased: [4],
      lost_wallet: [],
      lost_main: [],
    };
    const before = await readTables(other);
    expect(await importFile(other, file, { dryRun: true })).toMatchObject({ ...expected, added: 5 });
    expect(await readTables(other)).toEqual(before);
    expect(await importFile(other, file, { restoreGraceMs: HOUR_MS })).toMatchObject({ ...expected, added: 5 });
    expect(await listShown(other)).toEqual([2, 3]);
    expect(await listStored(other)).toEqual([1, 2, 3]);
    await expectVerified(other);
    const after = await readTables(other);
    const again = { added: 0, hidden: [], shown: [], erased: [], keys_restricted: [] };
    expect(await importFile(other, file, { restoreGraceMs: HOUR_MS })).toMatchObject(again);
    expect(await readTables(other)).toEqual(after);
  });

  test("is the same in any order, and any number of times", async () => {
    const anyDecision = fc.record({
      server: fc.nat({ max: 2 }),
      passportId: fc.integer({ min: 1, max: 4 }),
      what: fc.constantFrom<[NewDecision["by"], NewDecision["action"]]>(
        ["operator", "hide"],
        ["holder", "hide"],
        ["operator", "show"],
        ["holder", "show"],
        ["holder", "erase"],
        ["operator", "erased"],
        ["operator", "allow"],
      ),
      // Whether another server learns what this one knows.
      tells: fc.option(fc.nat({ max: 2 })),
    });
    const anyOrder = fc.shuffledSubarray([0, 1, 2, 0, 1], { minLength: 5, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyDecision, { maxLength: 8 }),
        anyOrder,
        anyOrder,
        async (decisions, first, second) => {
          const servers = await Promise.all([openServer(), openServer(), openServer()]);
          const at = (index: number) => servers[index] as Database;
          for (const {
            server,
            passportId,
            what: [by, action],
            tells,
          } of decisions) {
            const dueAt = action === "erase" ? new Date(0) : null;
            await decideNow(at(server), { by, action, passportId, dueAt });
            if (tells !== null) await importFile(at(tells), await exportFile(at(server)));
          }
          const files = await Promise.all(servers.map((server) => exportFile(server)));
          const [one, other] = [await openServer(), await openServer()];
          for (const index of first) await importFile(one, files[index] as string);
          for (const index of second) await importFile(other, files[index] as string);
          expect(await readState(other)).toEqual(await readState(one));
          await expectVerified(one);
          // Servers that learn from each other agree about what they store of it.
          const [ledger] = await readState(one);
          for (const index of first) await importFile(at(0), files[index] as string);
          expect((await readState(at(0)))[0]).toEqual(ledger);
          await expectVerified(at(0));
        },
      ),
      { numRuns: scaled(40, 3) },
    );
  }, 120_000);

  test("a show ends what its server knew, and no other hide", async () => {
    const [one, other] = [await openServer(), await openServer()];
    await hide(one, [1]);
    await importFile(other, await exportFile(one));
    // A second wish, which changes nothing here.
    await hide(other, [1]);
    await show(one, [1]);
    expect(await importFile(other, await exportFile(one))).toMatchObject({ shown: [] });
    expect(await importFile(one, await exportFile(other))).toMatchObject({ hidden: [1] });
    await show(other, [1]);
    expect(await importFile(one, await exportFile(other))).toMatchObject({ shown: [1] });
  });

  test("an end may arrive before what it ends", async () => {
    const [one, other] = [await openServer(), await openServer()];
    await hide(one, [1]);
    await show(one, [1]);
    const file = await exportFile(one);
    await importFile(other, await selectDecisions(file, ({ action }) => action === "show"));
    const hidden = await selectDecisions(file, ({ action }) => action === "hide");
    expect(await importFile(other, hidden)).toMatchObject({ added: 1, hidden: [] });
    expect(await readState(other)).toEqual(await readState(one));
  });

  test("an erasure takes the wallets out of other stored records, in any spelling", async () => {
    const [one, other] = [await openServer(), await openServer()];
    await importLines(other, [
      person(7, { main_wallet: wallet(4), verified_wallets: [wallet(7)] }),
      person(8, { verified_wallets: [`eip155:1:${wallet(4)}`, wallet(8)] }),
    ]);
    await erase(one, [4]);
    const file = await exportFile(one);
    expect(await importFile(other, file)).toMatchObject({ erased: [4], lost_wallet: [7, 8], lost_main: [7] });
    expect(await findPassportByWallet(other, wallet(4))).toBeNull();
    expect(await queryValue(other, "select count(*) from person where line::text like $1", [`%${wallet(4)}%`])).toBe(0);
    await expectVerified(other);
  });

  test("erased people stay out, by number and by wallet, also where they were not stored", async () => {
    const one = await openServer();
    const { database: empty } = await testDatabase();
    await erase(one, [4]);
    await importFile(empty, await exportFile(one));
    const line = person(9, { main_wallet: wallet(4) });
    expect(await importLines(empty, [...PEOPLE, line])).toMatchObject({ erased: 1, added: 4, lost_main: [9] });
  });

  test("is refused without a key of wallets in the file, and writes nothing", async () => {
    const [one, other] = [await openServer(), await openServer()];
    await erase(one, [4], OTHER_KEY);
    const file = await exportFile(one);
    const before = await readTables(other);
    await expect(importFile(other, file)).rejects.toThrow("OPT_OUT_KEY lacks a key");
    expect(await readTables(other)).toEqual(before);
    expect(await importFile(other, file, { keys: [OPT_OUT_KEY, OTHER_KEY] })).toMatchObject({ erased: [4] });
  });

  test("lists erasures without a request, who stay hidden until the operator decides", async () => {
    const [one, other] = [await openServer(), await openServer()];
    const request = randomUUID();
    await decideNow(one, { action: "erase", by: "holder", passportId: 3, request, dueAt: new Date(0) });
    const file = await exportFile(one);
    expect(await importFile(other, file)).toMatchObject({ hidden: [3], erased: [], lost_erasures: [3] });
    await show(other, [3]);
    expect(await importFile(other, file)).toMatchObject({ lost_erasures: [] });
    expect(await listShown(other)).toEqual([1, 2, 3, 4]);
  });

  test("an erasure that was ended elsewhere ends here, with its request", async () => {
    const [one, other] = [await openServer(), await openServer()];
    const request = await insertRequest(one, { passportId: 3, wish: "erase", state: "waiting" });
    await decideNow(one, { action: "erase", by: "holder", passportId: 3, request, dueAt: new Date(0) });
    await importFile(other, await exportFile(one));
    await decideNow(other, { action: "show", by: "holder", passportId: 3, request });
    expect(await importFile(one, await exportFile(other))).toMatchObject({ shown: [3] });
    expect(await queryColumn(one, "select state from holder_request")).toEqual(["refused"]);
  });
});

test("a decision that this version does not know is refused, with all others", async () => {
  const [one, other] = [await openServer(), await openServer()];
  await hide(one, [1, 2]);
  const file = await readDecisions(openDecisions(await exportFile(one)), [OPT_OUT_KEY]);
  const [first, ...rest] = file.decisions as [Decision, ...Decision[]];
  const before = await readTables(other);
  for (const strange of [
    { ...first, action: "bury" },
    { ...first, passport_id: undefined },
  ] as Decision[]) {
    const options = { keys: [OPT_OUT_KEY], restoreGraceMs: null, dryRun: false, onProgress: () => {} };
    const united = uniteDecisions(other, { ...file, decisions: [...rest, strange] }, options);
    await expect(united).rejects.toMatchObject({ name: "SnapshotRefused" });
  }
  expect(await readTables(other)).toEqual(before);
});

describe("after a restore", () => {
  test("waiting erasures have the whole grace period again, once for each file", async () => {
    const one = await openServer();
    const request = await insertRequest(one, { passportId: 3, wish: "erase", state: "waiting" });
    await decideNow(one, { action: "erase", by: "holder", passportId: 3, request, dueAt: new Date(0) });
    const file = await exportFile(one);
    const waits = () =>
      queryValue<boolean>(one, "select due_at > now() + interval '50 minutes' as waits from holder_request");
    expect(await waits()).toBe(false);
    await importFile(one, file, { restoreGraceMs: HOUR_MS });
    expect(await waits()).toBe(true);
    await one.query("update holder_request set due_at = now()");
    await importFile(one, file, { restoreGraceMs: HOUR_MS });
    expect(await waits()).toBe(false);
    await hide(one, [1]);
    await importFile(one, await exportFile(one), { restoreGraceMs: HOUR_MS });
    expect(await waits()).toBe(true);
  });

  test("requests that no worker has verified are refused, except those to hide", async () => {
    const one = await openServer();
    const insert = (wish: "hide" | "show" | "erase", state: string) =>
      insertRequest(one, { passportId: 1, wish, state });
    for (const wish of ["hide", "show", "erase"] as const) await insert(wish, "received");
    await insert("erase", "review");
    await importFile(one, await exportFile(one), { restoreGraceMs: HOUR_MS });
    const { rows } = await one.query("select wish, state from holder_request order by request_id");
    expect(rows).toEqual([
      { wish: "hide", state: "received" },
      { wish: "show", state: "refused" },
      { wish: "erase", state: "refused" },
      { wish: "erase", state: "review" },
    ]);
  });

  test("keys stay revoked, and the earlier of two expiries counts", async () => {
    const [one, other] = [await openServer(), await openServer()];
    const owner = { label: "test", contact: "test", expiresAt: null };
    const issued = await Promise.all(Array.from({ length: 3 }, () => issueKey(other, owner)));
    const [revoked, expiring, untouched] = issued.map(({ keyId }) => keyId) as [string, string, string];
    await appendKeyDecision(one, "revoke key", revoked);
    await appendKeyDecision(one, "expire key", expiring, new Date("2040-01-01"));
    await appendKeyDecision(one, "expire key", expiring, new Date("2030-01-01"));
    await appendKeyDecision(one, "revoke key", "a key that was created after the backup");
    const { keys_restricted } = await importFile(other, await exportFile(one));
    expect(keys_restricted.toSorted()).toEqual([revoked, expiring].toSorted());
    const { rows } = await other.query("select key_id, revoked_at is not null as is_revoked, expires_at from api_key");
    const byId = new Map(rows.map(({ key_id, ...row }) => [key_id, row]));
    expect(byId.get(revoked)).toEqual({ is_revoked: true, expires_at: null });
    expect(byId.get(expiring)).toEqual({ is_revoked: false, expires_at: new Date("2030-01-01") });
    expect(byId.get(untouched)).toEqual({ is_revoked: false, expires_at: null });
  });
});

describe("a file that no key of ours authenticates", () => {
  const importForeign = async (database: Database, from: Database) =>
    importFile(database, await exportFile(from, [OTHER_KEY]));

  test("hides people and keeps them out, and deletes nothing", async () => {
    const [one, other] = [await openServer(), await openServer()];
    await hide(other, [1]);
    await erase(other, [2], OTHER_KEY);
    await hide(other, [9]);
    const united = await importForeign(one, other);
    expect(united).toMatchObject({ is_ours: false, added: 3, hidden: [1, 2], erased: [], lost_wallet: [] });
    expect(await listStored(one)).toEqual([1, 2, 3, 4]);
    expect(await listShown(one)).toEqual([3, 4]);
    expect(await queryValue(one, "select count(*) from decision_wallet")).toBe(0);
    const lines = [...PEOPLE, person(9), person(10, { main_wallet: wallet(2) })];
    expect(await importLines(one, lines)).toMatchObject({ erased: 1, added: 2, wallets_removed: 0 });
    expect(await listShown(one)).toEqual([3, 4, 10]);
    await expectVerified(one);
  });

  test("ends nothing of ours", async () => {
    const [one, other] = [await openServer(), await openServer()];
    await hide(one, [1]);
    await erase(one, [2]);
    await importFile(other, await exportFile(one));
    await show(other, [1]);
    await decideNow(other, { action: "allow", by: "operator", passportId: 2 });
    expect(await importForeign(one, other)).toMatchObject({ shown: [], erased: [] });
    expect(await findState(one, 1)).toMatchObject({ hidden_by_operator: true });
    expect(await findState(one, 2)).toMatchObject({ erased: true, keeps_facts: false });
  });

  test("ends its own hides, and our operator may end them too", async () => {
    const [one, other] = [await openServer(), await openServer()];
    await hide(other, [1, 2]);
    await erase(other, [3], OTHER_KEY);
    await importForeign(one, other);
    await show(other, [1]);
    expect(await importForeign(one, other)).toMatchObject({ shown: [1] });
    await show(one, [2]);
    await decideNow(one, { action: "allow", by: "operator", passportId: 3 });
    expect(await listShown(one)).toEqual([1, 2, 3, 4]);
    await importForeign(one, other);
    expect(await listShown(one)).toEqual([1, 2, 3, 4]);
    await expectVerified(one);
  });

  test("says nothing about keys, and is no restore", async () => {
    const [one, other] = [await openServer(), await openServer()];
    const { keyId } = await issueKey(one, { label: "test", contact: "test", expiresAt: null });
    await insertRequest(one, { passportId: 1, wish: "erase", state: "received" });
    await appendKeyDecision(other, "revoke key", keyId);
    const file = await exportFile(other, [OTHER_KEY]);
    const united = await importFile(one, file, { restoreGraceMs: HOUR_MS });
    expect(united).toMatchObject({ decisions: 1, added: 0, keys_restricted: [] });
    expect(await queryColumn(one, "select state from holder_request")).toEqual(["received"]);
    expect(await queryValue(one, "select count(*) from decision")).toBe(0);
  });

  test("has full authority when it is imported again with its key", async () => {
    const [one, other, expected] = [await openServer(), await openServer(), await openServer()];
    await hide(other, [1, 3]);
    await show(other, [3]);
    await erase(other, [2], OTHER_KEY);
    await appendKeyDecision(other, "revoke key", "a key");
    const file = await exportFile(other, [OTHER_KEY]);
    const keys = [OPT_OUT_KEY, OTHER_KEY];
    await importFile(one, file);
    expect(await importFile(one, file, { keys })).toMatchObject({ is_ours: true, erased: [2] });
    await importFile(expected, file, { keys });
    expect(await readState(one)).toEqual(await readState(expected));
    await expectVerified(one);
    // And keeps it, if it comes without again.
    const unknown = await selectDecisions(file, () => true, "a third key that nobody could guess");
    expect(await importFile(one, unknown, { keys })).toMatchObject({ is_ours: false, added: 0 });
    expect(await readState(one)).toEqual(await readState(expected));
  });
});
