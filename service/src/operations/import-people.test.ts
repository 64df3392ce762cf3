import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test } from "vitest";
import { fingerprintOf, hashWallet } from "#identity/opt-out-key.ts";
import { type Database, withConnection } from "#store/database.ts";
import { insertOptOuts, updateKeysUnapplied } from "#store/opt-outs.ts";
import { testDatabase } from "#testing/database.ts";
import { fileOf, importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { findPassportById, findPassportByWallet } from "#testing/look-up.ts";
import { credential, person, wallet } from "#testing/people.ts";
import type { ImportOptions } from "./import-run.ts";
import { savePeople } from "./save-people.ts";
import { digestLine } from "./source-digest.ts";
import { sweepOptOuts } from "./sweep-opt-outs.ts";
import { takeOptOuts } from "./take-opt-outs.ts";
import { verifyDocuments } from "./verify-documents.ts";

const KEY = OPT_OUT_KEY;

async function take(database: Database, lines: readonly unknown[], options: Partial<ImportOptions> = {}) {
  const { rejected, ...imported } = await importLines(database, lines, options);
  expect((await verifyDocuments(database, () => {})).different).toBe(0);
  return { ...imported, rejected: rejected.map(({ line, field, reason }) => ({ line, field, reason })) };
}

const nameOf = async (database: Database, id: number): Promise<string | null> => {
  const found = await findPassportById(database, id);
  return found === null ? null : JSON.parse(found.body).passport_profile.display_name;
};

describe("importPeople", () => {
  test("adds, changes, and passes over who is as given, by the same line or by another that says the same", async () => {
    const { database } = await testDatabase();
    const people = [person(1), person(2, {}, { credentials: [credential("a")] })];
    expect(await take(database, people)).toMatchObject({ added: 2, changed: 0, unchanged: 0 });
    expect(await take(database, people)).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
    const otherwise = people.map(({ passport, credentials }) => ({ credentials, passport }));
    expect(await take(database, otherwise)).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
    expect(await take(database, [person(1, { display_name: "New" }), people[1]])).toMatchObject({
      changed: 1,
      unchanged: 1,
    });
    expect(await nameOf(database, 1)).toBe("New");
  });

  test("what something else changed since is not passed over", async () => {
    const { database } = await testDatabase();
    await take(database, [person(1), person(2)]);
    await savePeople(database, [person(1, { display_name: "Saved" })]);
    await database.query("update passport set hidden = true where passport_id = 2");
    const hidden = person(2, {}, { operator: { hidden: false } });
    expect(await take(database, [person(1), hidden])).toMatchObject({ changed: 2 });
    expect(await nameOf(database, 1)).toBe("Person 1");
    const { rows } = await database.query(
      "select source_digest is null as forgotten from passport where passport_id = 2",
    );
    expect(rows).toEqual([{ forgotten: false }]);
    await database.query("update passport set score = 1 where passport_id = 2");
    expect((await database.query("select source_digest from passport where passport_id = 2")).rows).toEqual([
      { source_digest: null },
    ]);
  });

  test("hidden and merged people are passed over too", async () => {
    const { database } = await testDatabase();
    const people: Person[] = [
      person(1, { verified_wallets: [wallet(1)] }),
      person(2, { verified_wallets: [wallet(2)], merged: true }, { operator: { merged_into: 1 } }),
      person(3, {}, { operator: { hidden: true } }),
    ];
    await take(database, people);
    const reordered = people.map(({ passport, ...rest }) => ({ ...rest, passport }));
    expect(await take(database, reordered)).toMatchObject({ unchanged: 3 });
  });

  test("of lines with one passport_id the first counts, the others are refused", async () => {
    const { database } = await testDatabase();
    const far = Array.from({ length: 2_200 }, (_, at) => person(at + 10));
    const lines = [
      person(1, { display_name: "First" }),
      person(1, { display_name: "Second" }),
      ...far,
      person(1),
      person(11),
    ];
    const imported = await take(database, lines);
    expect(imported).toMatchObject({ added: 2_201, refused: 3 });
    expect(imported.rejected).toEqual([
      { line: 2, field: "passport.passport_id", reason: "stands on line 1 of test already" },
      { line: 2_203, field: "passport.passport_id", reason: "stands on line 1 of test already" },
      { line: 2_204, field: "passport.passport_id", reason: "stands on line 4 of test already" },
    ]);
    expect(await nameOf(database, 1)).toBe("First");
    expect(await take(database, lines)).toMatchObject({ unchanged: 2_201, refused: 3 });
  });

  test("somebody whom the database refuses is rejected, and all others are in", async () => {
    const { database } = await testDatabase();
    await database.query("alter table passport add check (bio is distinct from 'impossible')");
    const lines = Array.from({ length: 40 }, (_, at) => person(at + 1));
    for (const at of [3, 17, 18]) {
      const { passport } = lines[at] as Person;
      passport.passport_profile.bio = "impossible";
    }
    const imported = await take(database, lines);
    expect(imported).toMatchObject({ added: 37, refused: 3 });
    expect(imported.rejected.map(({ line }) => line)).toEqual([4, 18, 19]);
    expect(imported.rejected[0]?.reason).toContain("check constraint");
  });

  test("a wallet that several list leads to the lowest id, and is reported", async () => {
    const { database } = await testDatabase();
    const both = { verified_wallets: [wallet(1)] };
    await take(database, [person(5, both)]);
    const imported = await take(database, [person(9, both), person(3, both), person(4)]);
    expect(imported.contested).toEqual([
      { address: wallet(1), leads_to: 3, claims: 3, claimed_by: [3, 5, 9], is_new: true },
    ]);
    const found = await findPassportByWallet(database, wallet(1));
    expect(JSON.parse(found?.body ?? "").passport_id).toBe(3);
  });

  test("who is held as another line says is passed over when it comes again", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1)]);
    const digest = "select encode(source_digest, 'hex') as digest from passport";
    expect((await database.query(digest)).rows).toEqual([{ digest: null }]);
    expect(await take(database, [person(1)])).toMatchObject({ unchanged: 1 });
    expect((await database.query(digest)).rows).toEqual([
      { digest: digestLine(Buffer.from(JSON.stringify(person(1))), true) },
    ]);
  });

  test("rows that a deletion by hand left behind are not in the way", async () => {
    const { database } = await testDatabase();
    const people = Array.from({ length: 9 }, (_, at) =>
      person(at + 1, { verified_wallets: [wallet(at + 1)] }, { credentials: [credential("a")] }),
    );
    await take(database, people);
    await database.query("delete from passport where passport_id in (3, 7)");
    expect(await take(database, people)).toMatchObject({ added: 2, unchanged: 7, refused: 0 });
  });

  test("a dry run tells the same and writes nothing", async () => {
    const { database } = await testDatabase();
    await take(database, [person(1), person(2)]);
    const imported = await take(database, [person(1), person(2, { display_name: "New" }), person(3), "{"], {
      dryRun: true,
    });
    expect(imported).toMatchObject({ added: 1, changed: 1, unchanged: 1, refused: 1 });
    expect(await nameOf(database, 2)).toBe("Person 2");
    expect(await nameOf(database, 3)).toBeNull();
  });
});

const takeFile = (database: Database, lines: readonly unknown[]) =>
  withConnection(database, (connection) => takeOptOuts(connection, fileOf(lines), false));

describe("opt-outs", () => {
  const optOut = (passport_id: number, ...wallets: string[]) => ({
    passport_id,
    key: fingerprintOf(KEY),
    wallets: wallets.map((address) => hashWallet(KEY, address)),
  });

  test("who opted out is left out, by id and by main wallet; other wallets are taken from those who list them", async () => {
    const { database } = await testDatabase();
    await insertOptOuts(database, [optOut(1, wallet(1), wallet(2))]);
    const imported = await take(database, [
      person(1),
      person(2, { main_wallet: wallet(1).toUpperCase().replace("0X", "0x") }),
      person(3, { main_wallet: wallet(3), verified_wallets: [wallet(2), wallet(3)] }),
      person(4),
    ]);
    expect(imported).toMatchObject({ added: 2, opted_out: 2, wallets_dropped: 1, rejected: [] });
    expect(JSON.parse((await findPassportById(database, 3))?.body ?? "").verified_wallets).toEqual([wallet(3)]);
    expect(await findPassportByWallet(database, wallet(2))).toBeNull();
  });

  test("under another key, or none, only ids count", async () => {
    const { database } = await testDatabase();
    await insertOptOuts(database, [optOut(1, wallet(1))]);
    const people = [person(1), person(2, { main_wallet: wallet(1) })];
    expect(await take(database, people, { optOutKey: "another key that nobody could guess" })).toMatchObject({
      added: 1,
      opted_out: 1,
    });
    expect(await take(database, people, { optOutKey: null })).toMatchObject({ unchanged: 1, opted_out: 1 });
  });

  test("neither a repeated nor a refused line of somebody who opted out is told", async () => {
    const { database } = await testDatabase();
    await insertOptOuts(database, [optOut(1, wallet(1))]);
    const lines = [
      person(1),
      person(1),
      person(1, { score: -1 }),
      person(2, { main_wallet: wallet(1) }),
      person(2, { main_wallet: wallet(1) }),
    ];
    expect(await take(database, lines)).toMatchObject({ added: 0, opted_out: 5, refused: 0, rejected: [] });
  });

  test("wallets that opt out later are looked for among the people held, once", async () => {
    const { database } = await testDatabase();
    const people = [
      person(
        3,
        { main_wallet: wallet(3), verified_wallets: [wallet(2), wallet(3)] },
        { credentials: [credential("a")] },
      ),
      person(4, { main_wallet: wallet(2) }),
      person(5),
    ];
    await take(database, people);
    await insertOptOuts(database, [optOut(1, wallet(2))]);
    const sweep = () => withConnection(database, (connection) => sweepOptOuts(connection, KEY, () => {}));
    expect(await sweep()).toEqual({ erased: 1, changed: 1 });
    expect(await sweep()).toEqual({ erased: 0, changed: 0 });
    // Who came in by an import that did not have the key is found by the next one that has.
    await take(database, [person(4, { main_wallet: wallet(2) })], { optOutKey: null });
    await updateKeysUnapplied(database, [fingerprintOf(KEY)]);
    expect(await sweep()).toEqual({ erased: 1, changed: 0 });
    expect(JSON.parse((await findPassportById(database, 3))?.body ?? "").verified_wallets).toEqual([wallet(3)]);
    expect(await nameOf(database, 4)).toBeNull();
    expect(await findPassportByWallet(database, wallet(2))).toBeNull();
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
    expect(await take(database, people)).toMatchObject({ unchanged: 2, opted_out: 1, wallets_dropped: 1 });
  });

  test("a file of opt-outs erases who is here, and a bad line in it stops everything", async () => {
    const { database } = await testDatabase();
    await take(database, [
      person(1, { verified_wallets: [wallet(1)] }),
      person(2, { verified_wallets: [wallet(2)] }, { operator: { merged_into: 1 } }),
      person(3, { verified_wallets: [wallet(1)] }),
    ]);
    await expect(takeFile(database, [optOut(1), { passport_id: "2" }])).rejects.toThrow("Line 2 of test");
    expect(await nameOf(database, 1)).toBe("Person 1");
    expect(await takeFile(database, [optOut(1, wallet(1)), optOut(99)])).toMatchObject({ taken: 2, erased: 1 });
    expect(await nameOf(database, 1)).toBeNull();
    expect(JSON.parse((await findPassportByWallet(database, wallet(1)))?.body ?? "").passport_id).toBe(3);
    expect(await findPassportByWallet(database, wallet(2))).toBeNull();
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
    expect(await take(database, [person(1)])).toMatchObject({ opted_out: 1, added: 0 });
  });
});
