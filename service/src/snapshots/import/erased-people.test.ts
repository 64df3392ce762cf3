import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { queryColumn } from "#core/database/database.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, erase, hide } from "#testing/decide.ts";
import { importAndVerify, importLines } from "#testing/import-lines.ts";
import { findName, findPassportById, findPassportByWallet } from "#testing/look-up.ts";
import { person, wallet } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";

describe("lines of erased people", () => {
  test("are left out by number, and their wallets are left out of other lines", async () => {
    const { database } = await testDatabase();
    await importAndVerify(database, [person(1, { main_wallet: wallet(1), verified_wallets: [wallet(2)] })]);
    await erase(database, [1]);
    const lines = [
      person(1, { main_wallet: wallet(8) }),
      person(2, { main_wallet: wallet(1).toUpperCase().replace("0X", "0x"), verified_wallets: [wallet(20)] }),
      person(3, { main_wallet: wallet(3), verified_wallets: [wallet(2), wallet(3)] }),
      person(4, { main_wallet: wallet(8) }),
    ];
    const expected = { added: 3, erased: 1, wallets_removed: 2, lost_main_wallets: 1, lost_main: [2], rejected: [] };
    expect(await importAndVerify(database, lines, { dryRun: true })).toMatchObject(expected);
    expect(await importAndVerify(database, lines)).toMatchObject(expected);
    const read = async (id: number) => JSON.parse((await findPassportById(database, id))?.body ?? "null");
    expect(await read(1)).toBeNull();
    expect(await read(2)).toMatchObject({ main_wallet: null, verified_wallets: [wallet(20)] });
    expect(await read(3)).toMatchObject({ main_wallet: wallet(3), verified_wallets: [wallet(3)] });
    for (const address of [wallet(1), wallet(2)]) expect(await findPassportByWallet(database, address)).toBeNull();
    // Wallets of a line that was left out belong to others.
    expect(JSON.parse((await findPassportByWallet(database, wallet(8)))?.body ?? "")).toMatchObject({ passport_id: 4 });
    expect(await queryColumn(database, "select passport_id from person where lost_main")).toEqual([2]);
  });

  test("are read again each time as long as a wallet is left out, and give the wallet back after `allow`", async () => {
    const { database } = await testDatabase();
    const lines = [person(1, { main_wallet: wallet(1) }), person(2, { main_wallet: wallet(1) }), person(3)];
    await importAndVerify(database, lines);
    await erase(database, [1]);
    const unread = "select passport_id from person where digest is null order by 1";
    for (const _ of [1, 2]) {
      expect(await importAndVerify(database, lines)).toMatchObject({ unchanged: 2, wallets_removed: 1, erased: 1 });
      expect(await queryColumn(database, unread)).toEqual([2]);
    }
    await decideNow(database, { action: "allow", by: "operator", passportId: 1 });
    expect(await importAndVerify(database, lines)).toMatchObject({ added: 1, changed: 1, unchanged: 1, erased: 0 });
    expect(await queryColumn(database, unread)).toEqual([]);
    expect(await queryColumn(database, "select passport_id from person where lost_main")).toEqual([]);
    expect(JSON.parse((await findPassportById(database, 2))?.body ?? "")).toMatchObject({ main_wallet: wallet(1) });
  });

  test("keep the spelling of other wallets, whatever spelling brings an erased one", async () => {
    const { database } = await testDatabase();
    const [bech32, evm] = ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", wallet(2)];
    await importAndVerify(database, [person(1, { main_wallet: bech32, verified_wallets: [evm] })]);
    await erase(database, [1]);
    const verified_wallets = [` ${evm}`, `bitcoin:${bech32}?amount=1`, bech32.toUpperCase(), " odd:Wallet "];
    const imported = await importAndVerify(database, [person(2, { main_wallet: `eip155:1:${evm}`, verified_wallets })]);
    expect(imported).toMatchObject({ added: 1, wallets_removed: 4 });
    const stored = JSON.parse((await findPassportById(database, 2))?.body ?? "");
    expect(stored).toMatchObject({ main_wallet: null, verified_wallets: [" odd:Wallet "] });
  });

  test("are counted if they repeat, and the text of refused ones is withheld", async () => {
    const { database } = await testDatabase();
    await importAndVerify(database, [person(1, { main_wallet: wallet(1) })]);
    await erase(database, [1]);
    const lines = [
      person(1),
      person(1),
      person(1, { score: -1 }),
      person(3, { score: -1, main_wallet: wallet(1) }),
      person(4, { score: -1 }),
    ];
    const { rejected, ...imported } = await importLines(database, lines);
    expect(imported).toMatchObject({ added: 0, erased: 2, refused: 3 });
    expect(rejected.map(({ line, text, withheld }) => [line, text, withheld])).toEqual([
      [3, null, true],
      [4, null, true],
      [5, JSON.stringify(lines[4]), undefined],
    ]);
    // A reason may quote the line.
    expect(rejected[0]?.field).toBeNull();
  });

  test("an import erases, hides and shows nobody who is stored", async () => {
    const { database } = await testDatabase();
    const [ids, wallets] = [fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })];
    const anyLine = fc.record({ id: ids, main: fc.option(wallets), broken: fc.boolean() });
    const tables = "person, person_wallet, passport_document, credential_document, wallet_owner";
    const decisions = "decision, decision_end, decision_wallet";
    const listIds = (table: string) => queryColumn<number>(database, `select passport_id from ${table} order by 1`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyLine, { maxLength: 8 }),
        fc.uniqueArray(ids, { maxLength: 2 }),
        fc.uniqueArray(ids, { maxLength: 2 }),
        async (lines, hidden, erased) => {
          await database.query(`truncate ${tables}, ${decisions}`);
          const stored = [1, 2, 3, 4].map((id) => person(id, { main_wallet: wallet(id) }));
          await importAndVerify(database, stored);
          await hide(database, hidden);
          await erase(database, erased);
          const before = await listIds("person");
          const gone = erased.filter((id) => id <= 4);
          const text = lines.map(({ id, main, broken }) => {
            const line = person(id, { main_wallet: main === null ? null : wallet(main) });
            return broken ? { ...line, operator: { hidden: false } } : line;
          });
          const { lost_main } = await importAndVerify(database, text);
          const valid = lines.filter(({ broken }) => !broken);
          const imported = new Map(valid.toReversed().map((line) => [line.id, line]));
          for (const id of erased) imported.delete(id);
          const expected = [...new Set([...before, ...imported.keys()])].sort();
          expect(await listIds("person")).toEqual(expected);
          expect(await listIds("passport_document")).toEqual(expected.filter((id) => !hidden.includes(id)));
          const losing = [...imported.values()].filter(({ main }) => main !== null && gone.includes(main));
          expect(lost_main.toSorted()).toEqual(losing.map(({ id }) => id).sort());
          expect((await listIds("decision")).length).toBe(hidden.length + erased.length);
        },
      ),
      { numRuns: scaled(300, 30) },
    );
  });
});

test.each([
  ["Stellar", "GDQP2KPQGKIHYJGXNUIYOMHARUARCA7DJT5FO2FFOOKY3B2WSQHG4W37"],
  ["NEAR", "alice.near"],
  ["Flow", "0x1654653399040a61"],
  ["TON", "EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2"],
  ["Sui", `0x${"a1".repeat(32)}`],
  ["Cardano", `addr1${"q".repeat(98)}`],
])("a wallet of %s leads to its record", async (_, address) => {
  const { database } = await testDatabase();
  await importAndVerify(database, [person(1, { main_wallet: address })]);
  expect(JSON.parse((await findPassportByWallet(database, address))?.body ?? "")).toMatchObject({
    main_wallet: address,
  });
  expect(await findName(database, 1)).toBe("Person 1");
});
