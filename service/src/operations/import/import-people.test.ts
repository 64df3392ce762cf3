import type { Person } from "@credence/contract/person.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprintOf, hashWallet } from "#identity/opt-out-key.ts";
import { verifyDocuments } from "#operations/documents/verify-documents.ts";
import { asLine } from "#operations/export/export-people.ts";
import { erasePerson } from "#operations/holders/erase-person.ts";
import { importOptOuts } from "#operations/holders/import-opt-outs.ts";
import { sweepOptOuts } from "#operations/holders/sweep-opt-outs.ts";
import { readPeople } from "#operations/people/read-people.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { type Database, withConnection } from "#store/engine/database.ts";
import { listHiddenByHolder } from "#store/holder-requests/hidden-by-holder.ts";
import { insertOptOuts, updateKeysUnapplied } from "#store/holders/opt-outs.ts";
import { testDatabase } from "#testing/database.ts";
import { fileOf, importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { findPassportById, findPassportByWallet } from "#testing/look-up.ts";
import { credential, person, wallet } from "#testing/people.ts";
import type { ImportOptions } from "./import-run.ts";
import { digestLine } from "./source-digest.ts";

const KEY = OPT_OUT_KEY;

async function importAndVerify(database: Database, lines: readonly unknown[], options: Partial<ImportOptions> = {}) {
  const { rejected, ...imported } = await importLines(database, lines, options);
  expect((await verifyDocuments(database, () => {})).different).toBe(0);
  return { ...imported, rejected: rejected.map(({ line, field, reason }) => ({ line, field, reason })) };
}

const nameOf = async (database: Database, id: number): Promise<string | null> => {
  const found = await findPassportById(database, id);
  return found === null ? null : JSON.parse(found.body).passport_profile.display_name;
};

describe("importPeople", () => {
  test("adds and changes people, and skips equal lines and lines with an equal state", async () => {
    const { database } = await testDatabase();
    const people = [person(1), person(2, {}, { credentials: [credential("a")] })];
    expect(await importAndVerify(database, people)).toMatchObject({ added: 2, changed: 0, unchanged: 0 });
    expect(await importAndVerify(database, people)).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
    const reordered = people.map(({ passport, credentials }) => ({ credentials, passport }));
    expect(await importAndVerify(database, reordered)).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
    expect(await importAndVerify(database, [person(1, { display_name: "New" }), people[1]])).toMatchObject({
      changed: 1,
      unchanged: 1,
    });
    expect(await nameOf(database, 1)).toBe("New");
  });

  test("does not skip people whose stored state was changed after their import", async () => {
    const { database } = await testDatabase();
    await importAndVerify(database, [person(1), person(2)]);
    await savePeople(database, [person(1, { display_name: "Saved" })]);
    await database.query("update passport set hidden = true where passport_id = 2");
    const unhidden = person(2, {}, { operator: { hidden: false } });
    expect(await importAndVerify(database, [person(1), unhidden])).toMatchObject({ changed: 2 });
    expect(await nameOf(database, 1)).toBe("Person 1");
    const { rows } = await database.query(
      "select source_digest is null as invalidated from passport where passport_id = 2",
    );
    expect(rows).toEqual([{ invalidated: false }]);
    await database.query("update passport set score = 1 where passport_id = 2");
    expect((await database.query("select source_digest from passport where passport_id = 2")).rows).toEqual([
      { source_digest: null },
    ]);
  });

  test("skips hidden and merged people whose stored state is equal", async () => {
    const { database } = await testDatabase();
    const people: Person[] = [
      person(1, { verified_wallets: [wallet(1)] }),
      person(2, { verified_wallets: [wallet(2)], merged: true }, { operator: { merged_into: 1 } }),
      person(3, {}, { operator: { hidden: true } }),
    ];
    await importAndVerify(database, people);
    const reordered = people.map(({ passport, ...rest }) => ({ ...rest, passport }));
    expect(await importAndVerify(database, reordered)).toMatchObject({ unchanged: 3 });
  });

  test("imports the first line of a passport_id and rejects duplicates", async () => {
    const { database } = await testDatabase();
    const otherPeople = Array.from({ length: 2_200 }, (_, at) => person(at + 10));
    const lines = [
      person(1, { display_name: "First" }),
      person(1, { display_name: "Second" }),
      ...otherPeople,
      person(1),
      person(11),
    ];
    const imported = await importAndVerify(database, lines);
    expect(imported).toMatchObject({ added: 2_201, refused: 3 });
    expect(imported.rejected).toEqual([
      { line: 2, field: "passport.passport_id", reason: "stands on line 1 of test already" },
      { line: 2_203, field: "passport.passport_id", reason: "stands on line 1 of test already" },
      { line: 2_204, field: "passport.passport_id", reason: "stands on line 4 of test already" },
    ]);
    expect(await nameOf(database, 1)).toBe("First");
    expect(await importAndVerify(database, lines)).toMatchObject({ unchanged: 2_201, refused: 3 });
  });

  test("rejects only the lines that the database refuses", async () => {
    const { database } = await testDatabase();
    await database.query("alter table passport add check (bio is distinct from 'impossible')");
    const lines = Array.from({ length: 40 }, (_, at) => person(at + 1));
    for (const at of [3, 17, 18]) {
      const { passport } = lines[at] as Person;
      passport.passport_profile.bio = "impossible";
    }
    const imported = await importAndVerify(database, lines);
    expect(imported).toMatchObject({ added: 37, refused: 3 });
    expect(imported.rejected.map(({ line }) => line)).toEqual([4, 18, 19]);
    expect(imported.rejected[0]?.reason).toContain("check constraint");
  });

  test("a shared wallet belongs to the lowest id, and is reported", async () => {
    const { database } = await testDatabase();
    const shared = { verified_wallets: [wallet(1)] };
    await importAndVerify(database, [person(5, shared)]);
    const imported = await importAndVerify(database, [person(9, shared), person(3, shared), person(4)]);
    expect(imported.contested).toEqual([
      { address: wallet(1), leads_to: 3, claims: 3, claimed_by: [3, 5, 9], is_new: true },
    ]);
    const found = await findPassportByWallet(database, wallet(1));
    expect(JSON.parse(found?.body ?? "").passport_id).toBe(3);
  });

  test("stores the digest of a line whose state is already stored", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1)]);
    const digest = "select encode(source_digest, 'hex') as digest from passport";
    expect((await database.query(digest)).rows).toEqual([{ digest: null }]);
    expect(await importAndVerify(database, [person(1)])).toMatchObject({ unchanged: 1 });
    expect((await database.query(digest)).rows).toEqual([
      { digest: digestLine(Buffer.from(JSON.stringify(person(1))), true) },
    ]);
  });

  test("imports people again whose passport rows were deleted by hand", async () => {
    const { database } = await testDatabase();
    const people = Array.from({ length: 9 }, (_, at) =>
      person(at + 1, { verified_wallets: [wallet(at + 1)] }, { credentials: [credential("a")] }),
    );
    await importAndVerify(database, people);
    await database.query("delete from passport where passport_id in (3, 7)");
    expect(await importAndVerify(database, people)).toMatchObject({ added: 2, unchanged: 7, refused: 0 });
  });

  test("refuses a line that would close a merge cycle, and names both people", async () => {
    const { database } = await testDatabase();
    const merged = (id: number, into: number | null) => person(id, {}, { operator: { merged_into: into } });
    const imported = await importAndVerify(database, [merged(24, 25), merged(25, 24), merged(1, 2), merged(2, 3)]);
    expect(imported).toMatchObject({ added: 3, refused: 1 });
    expect(imported.rejected).toEqual([
      {
        line: 2,
        field: "operator.merged_into",
        reason: "is 24, which is itself merged into 25: a merge cycle",
      },
    ]);
    // The cycle passes through stored people.
    expect(await importAndVerify(database, [merged(3, 1)])).toMatchObject({ added: 0, refused: 1 });
    // Merges that the batch removes are applied first, in any order of its lines.
    expect(await importAndVerify(database, [merged(3, 1), merged(1, null)])).toMatchObject({
      changed: 1,
      added: 1,
      refused: 0,
    });
  });

  test("a dry run reports the same counts and writes nothing", async () => {
    const { database } = await testDatabase();
    await importAndVerify(database, [person(1), person(2)]);
    const imported = await importAndVerify(database, [person(1), person(2, { display_name: "New" }), person(3), "{"], {
      dryRun: true,
    });
    expect(imported).toMatchObject({ added: 1, changed: 1, unchanged: 1, refused: 1 });
    expect(await nameOf(database, 2)).toBe("Person 2");
    expect(await nameOf(database, 3)).toBeNull();
  });
});

const importOptOutFile = (database: Database, lines: readonly unknown[]) =>
  withConnection(database, (connection) => importOptOuts(connection, fileOf(lines), false));

describe("people who hid by signature", () => {
  const hideBySignature = async (database: Database, ids: readonly number[]) => {
    const people = ids.map((id) => person(id, {}, { operator: { hidden: true, hidden_by: "holder" } }));
    await savePeople(database, people);
    expect(await listHiddenByHolder(database, ids)).toEqual([...ids]);
  };
  const listKept = async (database: Database) => {
    const { rows } = await database.query("select people from audit where action = 'keep hidden'");
    return rows.map(({ people }) => people);
  };

  test("are not shown by a line, with one audit entry per import and one figure in its result", async () => {
    const { database } = await testDatabase();
    await hideBySignature(database, [1, 2]);
    await savePeople(database, [person(3, {}, { operator: { hidden: true } })]);
    const shown = [1, 2, 3].map((id) => person(id, { display_name: "New" }, { operator: { hidden: false } }));
    expect(await importLines(database, shown, { dryRun: true })).toMatchObject({ kept_hidden: 2 });
    expect(await listKept(database)).toEqual([]);
    expect(await importLines(database, shown)).toMatchObject({ changed: 3, kept_hidden: 2 });
    expect(await findPassportById(database, 1)).toBeNull();
    // The operator's hide is the operator's to undo.
    expect(await findPassportById(database, 3)).not.toBeNull();
    expect(await listHiddenByHolder(database, [1, 2, 3])).toEqual([1, 2]);
    expect(await listKept(database)).toEqual([2]);
    expect(await importLines(database, [person(1, { display_name: "Newer" })])).toMatchObject({ kept_hidden: 0 });
    expect(await listKept(database)).toEqual([2]);
  });

  test("are exported as such, and can be shown again by their holder after an import elsewhere", async () => {
    const { database } = await testDatabase();
    await hideBySignature(database, [1]);
    await savePeople(database, [person(2, {}, { operator: { hidden: true } })]);
    const lines = (await readPeople(database, [1, 2])).map((found, at) => asLine(found, at === 0));
    expect(lines.map(({ operator }) => operator)).toEqual([{ hidden: true, hidden_by: "holder" }, { hidden: true }]);
    const { database: other } = await testDatabase();
    await importLines(other, lines);
    expect(await listHiddenByHolder(other, [1, 2])).toEqual([1]);
    // A hide by the operator does not become one by the holder.
    await importLines(other, [person(2, { display_name: "X" }, { operator: { hidden: true, hidden_by: "holder" } })]);
    expect(await listHiddenByHolder(other, [1, 2])).toEqual([1]);
  });
});

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

  test("skips people who opted out, by id or main wallet, and drops their wallets from other people", async () => {
    const { database } = await testDatabase();
    await insertOptOuts(database, [optOut(1, wallet(1), wallet(2))]);
    const imported = await importAndVerify(database, [
      person(1),
      person(2, { main_wallet: wallet(1).toUpperCase().replace("0X", "0x") }),
      person(3, { main_wallet: wallet(3), verified_wallets: [wallet(2), wallet(3)] }),
      person(4),
    ]);
    expect(imported).toMatchObject({ added: 2, opted_out: 2, wallets_dropped: 1, rejected: [] });
    expect(JSON.parse((await findPassportById(database, 3))?.body ?? "").verified_wallets).toEqual([wallet(3)]);
    expect(await findPassportByWallet(database, wallet(2))).toBeNull();
  });

  test("no other spelling of a wallet brings a person back, and stored spellings stay as they came", async () => {
    const { database } = await testDatabase();
    const [main, other] = ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", wallet(2)];
    await insertOptOuts(database, [optOut(1, main, other)]);
    const digits = other.slice(2);
    const spellings = [
      ...[` ${other}`, digits, digits.toUpperCase(), `eip155:1:${other}`, `ethereum:${other}`],
      ...[`0x\u200b${digits}`, other.replaceAll("0", "\uff10"), `bitcoin:${main}`, `bitcoin:${main}?amount=1`],
      ...[`bC1${main.slice(3)}`, main.toUpperCase()],
    ];
    const people = spellings.map((main_wallet, at) => person(10 + at, { main_wallet, verified_wallets: [] }));
    const kept = person(50, { main_wallet: " odd:Wallet ", verified_wallets: [" odd:Wallet ", `bitcoin:${main}`] });
    const imported = await importLines(database, [...people, kept]);
    expect(imported).toMatchObject({ added: 1, opted_out: people.length, wallets_dropped: 1, rejected: [] });
    const { verified_wallets } = JSON.parse((await findPassportById(database, 50))?.body ?? "");
    expect(verified_wallets).toEqual([" odd:Wallet "]);
  });

  test("a tombstone with the hash of an odd spelling goes on working", async () => {
    const { database } = await testDatabase();
    await insertOptOuts(database, [optOut(1, " Odd Wallet")]);
    const imported = await importLines(database, [person(2, { main_wallet: " Odd Wallet", verified_wallets: [] })]);
    expect(imported).toMatchObject({ added: 0, opted_out: 1 });
  });

  test("with another key or without a key, opt-outs match by id only", async () => {
    const { database } = await testDatabase();
    await insertOptOuts(database, [optOut(1, wallet(1))]);
    const people = [person(1), person(2, { main_wallet: wallet(1) })];
    expect(
      await importAndVerify(database, people, { optOutKey: "another key that is very hard to guess" }),
    ).toMatchObject({
      added: 1,
      opted_out: 1,
    });
    expect(await importAndVerify(database, people, { optOutKey: null })).toMatchObject({ unchanged: 1, opted_out: 1 });
  });

  test("skips duplicate lines of opted-out people, and omits the text of their rejected lines", async () => {
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

  test("a rejected line erases no person, even if an id or wallet in it opted out", async () => {
    const { database } = await testDatabase();
    await importAndVerify(database, [person(5), person(77, { main_wallet: wallet(7) })]);
    await erasePerson(database, 77, KEY);
    const { passport, credentials } = person(77, { main_wallet: wallet(7) });
    const line = { referrer: { passport_id: 5 }, passport, credentials };
    expect(await importAndVerify(database, [line])).toMatchObject({ opted_out: 0, refused: 1, erased: [] });
    expect(await nameOf(database, 5)).toBe("Person 5");
    expect(await listErased(database)).toEqual([77]);
  });

  test("the first line of a person decides whether to erase them, and each erasure is audited", async () => {
    const { database } = await testDatabase();
    const stored = [1, 2, 3].map((id) => person(id));
    await importAndVerify(database, stored);
    await insertOptOuts(database, [optOut(99, wallet(1))]);
    const imported = await importAndVerify(database, [
      person(1, { main_wallet: wallet(1) }),
      person(1),
      person(2),
      person(2, { main_wallet: wallet(1) }),
      person(4, { main_wallet: wallet(1) }),
    ]);
    expect(imported).toMatchObject({ opted_out: 3, refused: 1, unchanged: 1, erased: [1] });
    expect(await listErased(database)).toEqual([1]);
    const dryRun = await importAndVerify(database, [person(2, { main_wallet: wallet(1) })], { dryRun: true });
    expect(dryRun).toMatchObject({ opted_out: 1, erased: [2] });
    expect(await nameOf(database, 2)).toBe("Person 2");
  });

  test("an upper-case bech32 wallet matches the opt-out of its lower-case form", async () => {
    const { database } = await testDatabase();
    const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    await importAndVerify(database, [person(1, { main_wallet: address })]);
    await erasePerson(database, 1, KEY);
    const again = await importAndVerify(database, [
      person(2, { main_wallet: address.toUpperCase() }),
      person(3, { verified_wallets: [address.toUpperCase()] }),
    ]);
    expect(again).toMatchObject({ added: 1, opted_out: 1, wallets_dropped: 1 });
  });

  test("erases exactly the stored people whose first valid line matches an opt-out", async () => {
    const { database } = await testDatabase();
    const ids = fc.integer({ min: 1, max: 8 });
    const wallets = fc.integer({ min: 1, max: 8 });
    const anyLine = fc.record({ id: ids, main: fc.option(wallets), broken: fc.boolean() });
    const optOuts = fc.array(fc.record({ id: fc.integer({ min: 5, max: 20 }), wallets: fc.array(wallets) }), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine, { maxLength: 8 }), optOuts, async (lines, optedOut) => {
        await database.query(
          "truncate passport, passport_wallet, passport_document, credential_document, wallet_owner",
        );
        await database.query("truncate opt_out, opt_out_wallet, audit");
        const stored = [1, 2, 3, 4, 5, 6, 7, 8];
        await importAndVerify(
          database,
          stored.map((id) => person(id)),
        );
        await insertOptOuts(
          database,
          optedOut.map(({ id, wallets }) => optOut(id, ...wallets.map(wallet))),
        );
        const text = lines.map(({ id, main, broken }) => {
          const { passport, credentials } = person(id, { main_wallet: main === null ? null : wallet(main) });
          return broken ? { other: { passport_id: id }, passport, credentials } : { passport, credentials };
        });
        const { erased } = await importAndVerify(database, text);
        const first = lines.filter(
          (line, at) => !line.broken && lines.findIndex((other) => other.id === line.id && !other.broken) === at,
        );
        const expected = first
          .filter(({ id, main }) =>
            optedOut.some((entry) => entry.id === id || entry.wallets.some((number) => number === main)),
          )
          .map(({ id }) => id)
          .sort();
        expect(erased.toSorted()).toEqual(expected);
        expect(await listErased(database)).toEqual(expected);
        const { rows } = await database.query<{ passport_id: number }>("select passport_id from passport order by 1");
        const remaining = rows.map((row) => row.passport_id);
        expect(remaining).toEqual(stored.filter((id) => !expected.includes(id)));
      }),
      { numRuns: 40 },
    );
  });

  test("a sweep applies new wallet opt-outs to stored people, once", async () => {
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
    await importAndVerify(database, people);
    await insertOptOuts(database, [optOut(1, wallet(2))]);
    const sweep = () => withConnection(database, (connection) => sweepOptOuts(connection, KEY, () => {}));
    expect(await sweep()).toEqual({ erased: [4], changed: 1 });
    expect(await sweep()).toEqual({ erased: [], changed: 0 });
    // A person imported without the key is found by the next sweep with the key.
    await importAndVerify(database, [person(4, { main_wallet: wallet(2) })], { optOutKey: null });
    await updateKeysUnapplied(database, [fingerprintOf(KEY)]);
    expect(await sweep()).toEqual({ erased: [4], changed: 0 });
    expect(JSON.parse((await findPassportById(database, 3))?.body ?? "").verified_wallets).toEqual([wallet(3)]);
    expect(await nameOf(database, 4)).toBeNull();
    expect(await findPassportByWallet(database, wallet(2))).toBeNull();
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
    expect(await importAndVerify(database, people)).toMatchObject({ unchanged: 2, opted_out: 1, wallets_dropped: 1 });
  });

  test("an opt-out file erases stored people, and an invalid line rejects the whole file", async () => {
    const { database } = await testDatabase();
    await importAndVerify(database, [
      person(1, { verified_wallets: [wallet(1)] }),
      person(2, { verified_wallets: [wallet(2)] }, { operator: { merged_into: 1 } }),
      person(3, { verified_wallets: [wallet(1)] }),
    ]);
    await expect(importOptOutFile(database, [optOut(1), { passport_id: "2" }])).rejects.toThrow("Line 2 of test");
    expect(await nameOf(database, 1)).toBe("Person 1");
    expect(await importOptOutFile(database, [optOut(1, wallet(1)), optOut(99)])).toMatchObject({
      taken: 2,
      erased: [1],
    });
    expect(await nameOf(database, 1)).toBeNull();
    expect(JSON.parse((await findPassportByWallet(database, wallet(1)))?.body ?? "").passport_id).toBe(3);
    expect(await findPassportByWallet(database, wallet(2))).toBeNull();
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
    expect(await importAndVerify(database, [person(1)])).toMatchObject({ opted_out: 1, added: 0 });
  });
});
