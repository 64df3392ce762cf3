import type { Person } from "@credence/contract/person.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "#invent/demo.ts";
import { verifyDocuments } from "#operations/documents/verify-documents.ts";
import type { Database } from "#store/engine/database.ts";
import { testDatabase } from "#testing/database.ts";
import { findPassportById, findPassportByWallet } from "#testing/look-up.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { savePeople } from "./save-people.ts";

/** Everything the read side can see, as one value. */
async function readModel(database: Database) {
  const tables = ["passport_document", "credential_document", "wallet_owner"];
  return Promise.all(tables.map(async (table) => (await database.query(`select * from ${table} order by 1`)).rows));
}

async function clear(database: Database): Promise<void> {
  await database.query(
    "truncate passport, passport_wallet, social, credential, passport_document, credential_document, wallet_owner",
  );
}

const leadsTo = async (database: Database, address: string): Promise<number | null> => {
  const found = await findPassportByWallet(database, address);
  return found === null ? null : JSON.parse(found.body).passport_id;
};

const walletsOf = async (database: Database, id: number): Promise<string[]> =>
  JSON.parse((await findPassportById(database, id))?.body ?? "null").verified_wallets;

describe("savePeople", async () => {
  const { database } = await testDatabase();

  test("the demo's people get documents that verify, and saving them again changes nothing", async () => {
    await clear(database);
    await savePeople(database, inventDemoPeople());
    const first = await readModel(database);
    expect(first[0]).toHaveLength(200);
    await savePeople(database, inventDemoPeople().reverse());
    expect(await readModel(database)).toEqual(first);
    expect(await verifyDocuments(database, () => {})).toEqual({ checked: 200, different: 0, differences: [] });
  });

  test("EVM wallets are sent and found in lower case, others as they are", async () => {
    await clear(database);
    const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
    const mixed = `0x${"aBcDeF0123".repeat(4)}`;
    await savePeople(database, [person(1, { main_wallet: mixed, verified_wallets: [solana] })]);
    expect(await leadsTo(database, mixed.toLowerCase())).toBe(1);
    expect(await leadsTo(database, solana)).toBe(1);
    expect(await leadsTo(database, solana.toLowerCase())).toBeNull();
  });

  test("a person saved again with less loses what is no longer listed", async () => {
    await clear(database);
    await savePeople(database, [
      person(1, { verified_wallets: [wallet(1), wallet(2)] }, { credentials: [credential("a"), credential("b")] }),
    ]);
    await savePeople(database, [person(1, { verified_wallets: [wallet(2)] }, { credentials: [credential("b")] })]);
    expect(await leadsTo(database, wallet(1))).toBeNull();
    expect(await leadsTo(database, wallet(2))).toBe(1);
    expect((await database.query("select id from credential")).rows).toEqual([{ id: "b" }]);
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
  });

  test("what the operator set stays when a person is saved without it", async () => {
    await clear(database);
    await savePeople(database, [
      person(1, {}, { operator: { hidden: true } }),
      person(2, {}, { operator: { merged_into: 3 } }),
    ]);
    await savePeople(database, [person(1), person(2)]);
    expect(await findPassportById(database, 1)).toBeNull();
    expect((await findPassportById(database, 2))?.tail).toContain('"merged":true');
    await savePeople(database, [
      person(1, {}, { operator: { hidden: false } }),
      person(2, {}, { operator: { merged_into: null } }),
    ]);
    expect(await findPassportById(database, 1)).not.toBeNull();
    expect((await findPassportById(database, 2))?.tail).toContain('"merged":false');
  });

  test("a wallet listed twice leads to the lowest id that is not merged; a hidden one keeps its claim", async () => {
    await clear(database);
    const both = { verified_wallets: [wallet(1)] };
    await savePeople(database, [person(5, both), person(3, both), person(2, { ...both, merged: true })]);
    expect(await leadsTo(database, wallet(1))).toBe(3);
    await savePeople(database, [person(3, both, { operator: { hidden: true } })]);
    expect(await leadsTo(database, wallet(1))).toBeNull();
  });

  test("the wallets of the absorbed lead to the survivor through a chain, and stand after its own, each once", async () => {
    await clear(database);
    await savePeople(database, [
      person(30, { verified_wallets: [wallet(3), wallet(9)] }),
      person(10, { main_wallet: wallet(1), verified_wallets: [wallet(9)] }, { operator: { merged_into: 20 } }),
      person(20, { verified_wallets: [wallet(2), wallet(1)] }, { operator: { merged_into: 30 } }),
    ]);
    expect(await walletsOf(database, 30)).toEqual([wallet(3), wallet(9), wallet(1), wallet(2)]);
    expect(await walletsOf(database, 20)).toEqual([wallet(2), wallet(1)]);
    expect(await leadsTo(database, wallet(1))).toBe(30);
    expect(await leadsTo(database, wallet(2))).toBe(30);
  });

  test("a survivor that is not here yet: its wallets lead nowhere, and to it as soon as it arrives", async () => {
    await clear(database);
    await savePeople(database, [person(1, { verified_wallets: [wallet(1)] }, { operator: { merged_into: 2 } })]);
    expect(await leadsTo(database, wallet(1))).toBeNull();
    await savePeople(database, [person(2)]);
    expect(await leadsTo(database, wallet(1))).toBe(2);
    expect(await walletsOf(database, 2)).toEqual([wallet(1)]);
  });

  test("a circle of merges has no survivor: everyone keeps their own wallets", async () => {
    await clear(database);
    await savePeople(database, [
      person(1, { verified_wallets: [wallet(1)] }, { operator: { merged_into: 2 } }),
      person(2, { verified_wallets: [wallet(2)] }, { operator: { merged_into: 1 } }),
    ]);
    expect(await leadsTo(database, wallet(1))).toBe(1);
    expect(await leadsTo(database, wallet(2))).toBe(2);
    expect(await walletsOf(database, 1)).toEqual([wallet(1)]);
  });

  test("merges and shared wallets end in the same bytes whatever the order of arrival", async () => {
    const anyPeople = fc.uniqueArray(
      fc
        .record({
          id: fc.integer({ min: 1, max: 6 }),
          wallets: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
          main: fc.option(fc.integer({ min: 1, max: 5 })),
          merged: fc.boolean(),
          into: fc.option(fc.integer({ min: 1, max: 7 })),
          hidden: fc.boolean(),
        })
        .filter(({ id, into }) => id !== into),
      { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
    );
    const toPerson = (given: {
      id: number;
      wallets: number[];
      main: number | null;
      merged: boolean;
      into: number | null;
      hidden: boolean;
    }): Person =>
      person(
        given.id,
        {
          main_wallet: given.main === null ? null : wallet(given.main),
          verified_wallets: given.wallets.map(wallet),
          merged: given.merged,
        },
        { operator: { merged_into: given.into, hidden: given.hidden } },
      );
    await fc.assert(
      fc.asyncProperty(anyPeople, fc.infiniteStream(fc.nat()), async (given, order) => {
        const people = given.map(toPerson);
        await clear(database);
        await savePeople(database, people);
        const atOnce = await readModel(database);
        expect((await verifyDocuments(database, () => {})).different).toBe(0);

        await clear(database);
        const shuffled = people
          .map((one) => ({ one, key: order.next().value as number }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ one }) => one);
        for (const one of shuffled) await savePeople(database, [one]);
        expect(await readModel(database)).toEqual(atOnce);
      }),
      { numRuns: scaled(150, 30) },
    );
  });

  test("people saved at the same time by several writers end as if saved one after another", async () => {
    await clear(database);
    const people = Array.from({ length: 20 }, (_, at) =>
      person(at + 1, { verified_wallets: [wallet(1), wallet(at + 2)] }),
    );
    await Promise.all(people.map((one) => savePeople(database, [one])));
    const apart = await readModel(database);
    await clear(database);
    await savePeople(database, people);
    expect(await readModel(database)).toEqual(apart);
    expect(await leadsTo(database, wallet(1))).toBe(1);
  });
});
