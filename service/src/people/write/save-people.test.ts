import type { Person } from "@credence/contract/person.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Database } from "#core/database/database.ts";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { testDatabase } from "#testing/database.ts";
import { hide, show } from "#testing/decide.ts";
import { findPassportById, findPassportByWallet } from "#testing/look-up.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { savePeople } from "./save-people.ts";

/** All rows that the API reads, as one value. */
async function readServedRows(database: Database) {
  const tables = ["passport_document", "credential_document", "wallet_owner"];
  return Promise.all(tables.map(async (table) => (await database.query(`select * from ${table} order by 1`)).rows));
}

async function clear(database: Database): Promise<void> {
  await database.query(
    "truncate person, person_wallet, passport_document, credential_document, wallet_owner, decision, decision_end, decision_wallet",
  );
}

const findOwner = async (database: Database, address: string): Promise<number | null> => {
  const found = await findPassportByWallet(database, address);
  return found === null ? null : JSON.parse(found.body).passport_id;
};

describe("savePeople", async () => {
  const { database } = await testDatabase();

  test("saves the demo people with documents that verify, and saving them again changes nothing", async () => {
    await clear(database);
    await savePeople(database, inventDemoPeople());
    const first = await readServedRows(database);
    expect(first[0]).toHaveLength(200);
    await savePeople(database, inventDemoPeople().reverse());
    expect(await readServedRows(database)).toEqual(first);
    expect(await verifyDocuments(database, () => {})).toEqual({ checked: 200, different: 0, differences: [] });
  });

  test("matches EVM wallets in lower case, and other wallets by exact case", async () => {
    await clear(database);
    const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
    const mixed = `0x${"aBcDeF0123".repeat(4)}`;
    await savePeople(database, [person(1, { main_wallet: mixed, verified_wallets: [solana] })]);
    expect(await findOwner(database, mixed.toLowerCase())).toBe(1);
    expect(await findOwner(database, solana)).toBe(1);
    expect(await findOwner(database, solana.toLowerCase())).toBeNull();
  });

  test("removes wallets and credentials that the person no longer lists", async () => {
    await clear(database);
    await savePeople(database, [
      person(1, { verified_wallets: [wallet(1), wallet(2)] }, { credentials: [credential("a"), credential("b")] }),
    ]);
    await savePeople(database, [person(1, { verified_wallets: [wallet(2)] }, { credentials: [credential("b")] })]);
    expect(await findOwner(database, wallet(1))).toBeNull();
    expect(await findOwner(database, wallet(2))).toBe(1);
    const { rows } = await database.query("select credentials, line -> 'credentials' -> 0 ->> 'id' as id from person");
    expect(rows).toEqual([{ credentials: 1, id: "b" }]);
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
  });

  test("neither shows nor hides anybody", async () => {
    await clear(database);
    await hide(database, [1, 2]);
    await savePeople(database, [person(1), person(3)]);
    await savePeople(database, [person(1, { score: 1 }), person(2)]);
    expect(await findPassportById(database, 1)).toBeNull();
    expect(await findPassportById(database, 2)).toBeNull();
    expect(await findPassportById(database, 3)).not.toBeNull();
    // What was saved meanwhile.
    await show(database, [1]);
    expect(JSON.parse((await findPassportById(database, 1))?.body ?? "")).toMatchObject({ score: 1 });
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
  });

  test("a shared wallet belongs to the lowest shown unmerged id, and to a merged one only if no unmerged one lists it", async () => {
    await clear(database);
    const shared = { verified_wallets: [wallet(1)] };
    await savePeople(database, [person(5, shared), person(3, shared), person(2, { ...shared, merged: true })]);
    expect(await findOwner(database, wallet(1))).toBe(3);
    await hide(database, [3]);
    expect(await findOwner(database, wallet(1))).toBe(5);
    await hide(database, [5]);
    expect(await findOwner(database, wallet(1))).toBeNull();
    await show(database, [3]);
    expect(await findOwner(database, wallet(1))).toBe(3);
    await savePeople(
      database,
      [3, 5].map((id) => person(id, { ...shared, merged: true })),
    );
    expect(await findOwner(database, wallet(1))).toBe(2);
    await hide(database, [2]);
    expect(await findOwner(database, wallet(1))).toBe(3);
  });

  test("merges and shared wallets give the same bytes in any order of saving", async () => {
    const anyPeople = fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 1, max: 6 }),
        wallets: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
        main: fc.option(fc.integer({ min: 1, max: 5 })),
        merged: fc.boolean(),
        hidden: fc.boolean(),
      }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
    );
    type Row = { id: number; wallets: number[]; main: number | null; merged: boolean };
    const toPerson = ({ id, wallets, main, merged }: Row): Person =>
      person(id, {
        main_wallet: main === null ? null : wallet(main),
        verified_wallets: wallets.map(wallet),
        merged,
      });
    await fc.assert(
      fc.asyncProperty(anyPeople, fc.infiniteStream(fc.nat()), async (records, order) => {
        const people = records.map(toPerson);
        const hiddenIds = records.filter(({ hidden }) => hidden).map(({ id }) => id);
        await clear(database);
        await savePeople(database, people);
        await hide(database, hiddenIds);
        const savedTogether = await readServedRows(database);
        expect((await verifyDocuments(database, () => {})).different).toBe(0);

        await clear(database);
        const [before, after] = [hiddenIds.slice(0, 1), hiddenIds.slice(1)];
        await hide(database, before);
        const shuffled = people
          .map((value) => ({ value, key: order.next().value as number }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ value }) => value);
        for (const next of shuffled) await savePeople(database, [next]);
        await hide(database, after);
        expect(await readServedRows(database)).toEqual(savedTogether);
      }),
      { numRuns: scaled(150, 12) },
    );
  });

  test("concurrent writers give the same rows as one writer", async () => {
    await clear(database);
    const people = Array.from({ length: 20 }, (_, index) =>
      person(index + 1, { verified_wallets: [wallet(1), wallet(index + 2)] }),
    );
    await Promise.all(people.map((next) => savePeople(database, [next])));
    const savedConcurrently = await readServedRows(database);
    await clear(database);
    await savePeople(database, people);
    expect(await readServedRows(database)).toEqual(savedConcurrently);
    expect(await findOwner(database, wallet(1))).toBe(1);
  });
});
