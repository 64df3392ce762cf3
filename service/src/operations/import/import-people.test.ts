import type { Person } from "@credence/contract/person.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprintOf, hashWallet } from "#identity/opt-out-key.ts";
import { verifyDocuments } from "#operations/documents/verify-documents.ts";
import { erasePerson } from "#operations/holders/erase-person.ts";
import { importOptOuts } from "#operations/holders/import-opt-outs.ts";
import { sweepOptOuts } from "#operations/holders/sweep-opt-outs.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { type Database, withConnection } from "#store/engine/database.ts";
import { insertOptOuts, updateKeysUnapplied } from "#store/holders/opt-outs.ts";
import { testDatabase } from "#testing/database.ts";
import { fileOf, importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { findPassportById, findPassportByWallet } from "#testing/look-up.ts";
import { credential, person, wallet } from "#testing/people.ts";
import type { ImportOptions } from "./import-run.ts";
import { digestLine } from "./source-digest.ts";

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

  test("refuses a line that would close a merge cycle, and names both people", async () => {
    const { database } = await testDatabase();
    const merged = (id: number, into: number | null) => person(id, {}, { operator: { merged_into: into } });
    const imported = await take(database, [merged(24, 25), merged(25, 24), merged(1, 2), merged(2, 3)]);
    expect(imported).toMatchObject({ added: 3, refused: 1 });
    expect(imported.rejected).toEqual([
      {
        line: 2,
        field: "operator.merged_into",
        reason: "is 24, which is itself merged into 25: a merge cycle",
      },
    ]);
    // Through what is stored, and through others.
    expect(await take(database, [merged(3, 1)])).toMatchObject({ added: 0, refused: 1 });
    // What the batch undoes counts first, whatever the order of its lines.
    expect(await take(database, [merged(3, 1), merged(1, null)])).toMatchObject({ changed: 1, added: 1, refused: 0 });
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
  withConnection(database, (connection) => importOptOuts(connection, fileOf(lines), false));

describe("opt-outs", () => {
  const listErased = async (database: Database): Promise<number[]> => {
    const { rows } = await database.query("select passport_id from audit where action = 'erase' order by 1");
    return rows.map((row) => row.passport_id);
  };
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

  test("a repeated line of somebody who opted out is skipped; of a refused one the rejects file does not keep the text", async () => {
    const { database } = await testDatabase();
    await insertOptOuts(database, [optOut(1, wallet(1))]);
    const lines = [
      person(1),
      person(1),
      person(1, { score: -1 }),
      person(2, { main_wallet: wallet(1) }),
      person(2, { main_wallet: wallet(1) }),
      person(3, { score: -1, main_wallet: wallet(1) }),
      person(4, { score: -1 }),
    ];
    const { rejected, ...imported } = await importLines(database, lines);
    expect(imported).toMatchObject({ added: 0, opted_out: 4, refused: 3, erased: [] });
    expect(rejected[0]).toMatchObject({ field: null, reason: expect.stringContaining("opted out") });
    expect(rejected.map(({ line, text, withheld }) => [line, text, withheld])).toEqual([
      [3, null, true],
      [6, null, true],
      [7, JSON.stringify(lines[6]), undefined],
    ]);
  });

  test("a refused line erases nobody, whatever ids and wallets stand in it", async () => {
    const { database } = await testDatabase();
    await take(database, [person(5), person(77, { main_wallet: wallet(7) })]);
    await erasePerson(database, 77, KEY);
    const { passport, credentials } = person(77, { main_wallet: wallet(7) });
    const line = { referrer: { passport_id: 5 }, passport, credentials };
    expect(await take(database, [line])).toMatchObject({ opted_out: 0, refused: 1, erased: [] });
    expect(await nameOf(database, 5)).toBe("Person 5");
    expect(await listErased(database)).toEqual([77]);
  });

  test("the first line of a person decides whether they are erased, and every erasure is audited", async () => {
    const { database } = await testDatabase();
    const stored = [1, 2, 3].map((id) => person(id));
    await take(database, stored);
    await insertOptOuts(database, [optOut(99, wallet(1))]);
    const imported = await take(database, [
      person(1, { main_wallet: wallet(1) }),
      person(1),
      person(2),
      person(2, { main_wallet: wallet(1) }),
      person(4, { main_wallet: wallet(1) }),
    ]);
    expect(imported).toMatchObject({ opted_out: 3, refused: 1, unchanged: 1, erased: [1] });
    expect(await listErased(database)).toEqual([1]);
    const dry = await take(database, [person(2, { main_wallet: wallet(1) })], { dryRun: true });
    expect(dry).toMatchObject({ opted_out: 1, erased: [2] });
    expect(await nameOf(database, 2)).toBe("Person 2");
  });

  test("upper-case bech32 is the same wallet, and does not evade an opt-out", async () => {
    const { database } = await testDatabase();
    const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    await take(database, [person(1, { main_wallet: address })]);
    await erasePerson(database, 1, KEY);
    const again = await take(database, [
      person(2, { main_wallet: address.toUpperCase() }),
      person(3, { verified_wallets: [address.toUpperCase()] }),
    ]);
    expect(again).toMatchObject({ added: 1, opted_out: 1, wallets_dropped: 1 });
  });

  test("of any valid and broken lines and any opt-outs, exactly the people named by both are erased", async () => {
    const { database } = await testDatabase();
    const ids = fc.integer({ min: 1, max: 8 });
    const wallets = fc.integer({ min: 1, max: 8 });
    const given = fc.record({ id: ids, main: fc.option(wallets), broken: fc.boolean() });
    const optOuts = fc.array(fc.record({ id: fc.integer({ min: 5, max: 20 }), wallets: fc.array(wallets) }), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(given, { maxLength: 8 }), optOuts, async (lines, out) => {
        await database.query(
          "truncate passport, passport_wallet, passport_document, credential_document, wallet_owner",
        );
        await database.query("truncate opt_out, opt_out_wallet, audit");
        const stored = [1, 2, 3, 4, 5, 6, 7, 8];
        await take(
          database,
          stored.map((id) => person(id)),
        );
        await insertOptOuts(
          database,
          out.map(({ id, wallets }) => optOut(id, ...wallets.map(wallet))),
        );
        const text = lines.map(({ id, main, broken }) => {
          const { passport, credentials } = person(id, { main_wallet: main === null ? null : wallet(main) });
          return broken ? { other: { passport_id: id }, passport, credentials } : { passport, credentials };
        });
        const { erased } = await take(database, text);
        const first = lines.filter(
          (line, at) => !line.broken && lines.findIndex((other) => other.id === line.id && !other.broken) === at,
        );
        const expected = first
          .filter(({ id, main }) => out.some((one) => one.id === id || one.wallets.some((lost) => lost === main)))
          .map(({ id }) => id)
          .sort();
        expect(erased.toSorted()).toEqual(expected);
        expect(await listErased(database)).toEqual(expected);
        const { rows } = await database.query<{ passport_id: number }>("select passport_id from passport order by 1");
        const left = rows.map((row) => row.passport_id);
        expect(left).toEqual(stored.filter((id) => !expected.includes(id)));
      }),
      { numRuns: 40 },
    );
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
    expect(await sweep()).toEqual({ erased: [4], changed: 1 });
    expect(await sweep()).toEqual({ erased: [], changed: 0 });
    // Who came in by an import that did not have the key is found by the next one that has.
    await take(database, [person(4, { main_wallet: wallet(2) })], { optOutKey: null });
    await updateKeysUnapplied(database, [fingerprintOf(KEY)]);
    expect(await sweep()).toEqual({ erased: [4], changed: 0 });
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
    expect(await takeFile(database, [optOut(1, wallet(1)), optOut(99)])).toMatchObject({ taken: 2, erased: [1] });
    expect(await nameOf(database, 1)).toBeNull();
    expect(JSON.parse((await findPassportByWallet(database, wallet(1)))?.body ?? "").passport_id).toBe(3);
    expect(await findPassportByWallet(database, wallet(2))).toBeNull();
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
    expect(await take(database, [person(1)])).toMatchObject({ opted_out: 1, added: 0 });
  });
});
