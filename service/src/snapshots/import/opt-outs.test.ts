import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Database, withConnection } from "#core/database/database.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { erasePerson } from "#privacy/erase-person.ts";
import { importOptOuts } from "#privacy/import-opt-outs.ts";
import { fingerprintOf, hashWallet } from "#privacy/opt-out.ts";
import { insertOptOuts, updateKeysUnapplied } from "#privacy/opt-outs.ts";
import { sweepOptOuts } from "#privacy/sweep-opt-outs.ts";
import { testDatabase } from "#testing/database.ts";
import { fileOf, importAndVerify, importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { findName, findPassportById, findPassportByWallet } from "#testing/look-up.ts";
import { credential, person, wallet } from "#testing/people.ts";

const KEY = OPT_OUT_KEY;

const importOptOutFile = (database: Database, lines: readonly unknown[]) =>
  withConnection(database, (connection) => importOptOuts(connection, fileOf(lines)));

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
    await insertOptOuts(database, [optOut(1, wallet(1), wallet(2))], "here");
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
    await insertOptOuts(database, [optOut(1, main, other)], "here");
    const digits = other.slice(2);
    const spellings = [
      ...[` ${other}`, digits, digits.toUpperCase(), `eip155:1:${other}`, `ethereum:${other}`],
      ...[`0x\u200b${digits}`, other.replaceAll("0", "\uff10"), `bitcoin:${main}`, `bitcoin:${main}?amount=1`],
      ...[`bC1${main.slice(3)}`, main.toUpperCase()],
    ];
    const people = spellings.map((main_wallet, index) => person(10 + index, { main_wallet, verified_wallets: [] }));
    const kept = person(50, { main_wallet: " odd:Wallet ", verified_wallets: [" odd:Wallet ", `bitcoin:${main}`] });
    const imported = await importLines(database, [...people, kept]);
    expect(imported).toMatchObject({ added: 1, opted_out: people.length, wallets_dropped: 1, rejected: [] });
    const { verified_wallets } = JSON.parse((await findPassportById(database, 50))?.body ?? "");
    expect(verified_wallets).toEqual([" odd:Wallet "]);
  });

  test("with another key or without a key, opt-outs match by id only", async () => {
    const { database } = await testDatabase();
    await insertOptOuts(database, [optOut(1, wallet(1))], "here");
    const people = [person(1), person(2, { main_wallet: wallet(1) })];
    expect(
      await importAndVerify(database, people, { optOutKeys: ["another key that is very hard to guess"] }),
    ).toMatchObject({
      added: 1,
      opted_out: 1,
    });
    expect(await importAndVerify(database, people, { optOutKeys: [] })).toMatchObject({ unchanged: 1, opted_out: 1 });
  });

  test("skips duplicate lines of opted-out people, and omits the text of their rejected lines", async () => {
    const { database } = await testDatabase();
    await insertOptOuts(database, [optOut(1, wallet(1))], "here");
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
    expect(await findName(database, 5)).toBe("Person 5");
    expect(await listErased(database)).toEqual([77]);
  });

  test("the first line of a person decides whether to erase them, and each erasure is audited", async () => {
    const { database } = await testDatabase();
    const stored = [1, 2, 3].map((id) => person(id));
    await importAndVerify(database, stored);
    await insertOptOuts(database, [optOut(99, wallet(1))], "here");
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
    expect(await findName(database, 2)).toBe("Person 2");
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
          "here",
        );
        const text = lines.map(({ id, main, broken }) => {
          const { passport, credentials } = person(id, { main_wallet: main === null ? null : wallet(main) });
          return broken ? { other: { passport_id: id }, passport, credentials } : { passport, credentials };
        });
        const { erased } = await importAndVerify(database, text);
        const first = lines.filter(
          (line, index) => !line.broken && lines.findIndex((other) => other.id === line.id && !other.broken) === index,
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
    await insertOptOuts(database, [optOut(1, wallet(2))], "here");
    const sweep = () => withConnection(database, (connection) => sweepOptOuts(connection, [KEY], () => {}));
    expect(await sweep()).toEqual({ erased: [4], changed: 1 });
    expect(await sweep()).toEqual({ erased: [], changed: 0 });
    // A person imported without the key is found by the next sweep with the key.
    await importAndVerify(database, [person(6, { main_wallet: wallet(2) })], { optOutKeys: [] });
    await updateKeysUnapplied(database, [fingerprintOf(KEY)]);
    expect(await sweep()).toEqual({ erased: [6], changed: 0 });
    expect(JSON.parse((await findPassportById(database, 3))?.body ?? "").verified_wallets).toEqual([wallet(3)]);
    expect(await findName(database, 4)).toBeNull();
    expect(await findPassportByWallet(database, wallet(2))).toBeNull();
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
    expect(await importAndVerify(database, people)).toMatchObject({ unchanged: 2, opted_out: 1, wallets_dropped: 1 });
  });

  test("an opt-out file erases stored people, and an invalid line rejects the whole file", async () => {
    const { database } = await testDatabase();
    await importAndVerify(database, [
      person(1, { verified_wallets: [wallet(1)] }),
      person(3, { verified_wallets: [wallet(1)] }),
    ]);
    await expect(importOptOutFile(database, [optOut(1), { passport_id: "2" }])).rejects.toThrow('Line 2 of "test"');
    expect(await findName(database, 1)).toBe("Person 1");
    expect(await importOptOutFile(database, [optOut(1, wallet(1)), optOut(99)])).toMatchObject({
      taken: 2,
      erased: [1],
    });
    expect(await findName(database, 1)).toBeNull();
    expect(JSON.parse((await findPassportByWallet(database, wallet(1)))?.body ?? "").passport_id).toBe(3);
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
    expect(await importAndVerify(database, [person(1)])).toMatchObject({ opted_out: 1, added: 0 });
  });
});
