import type { Person } from "@credence/contract/person.ts";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { describe, expect, test } from "vitest";
import { listLines } from "#people/facts/people.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { hide } from "#testing/decide.ts";
import { importAndVerify } from "#testing/import-lines.ts";
import { findName, findPassportByWallet } from "#testing/look-up.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { digestLine } from "./source-digest.ts";

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
    expect(await findName(database, 1)).toBe("New");
  });

  test("does not skip people whose stored state was changed after their import", async () => {
    const { database } = await testDatabase();
    await importAndVerify(database, [person(1), person(2)]);
    await savePeople(database, [person(1, { display_name: "Saved" })]);
    expect(await importAndVerify(database, [person(1), person(2)])).toMatchObject({ changed: 1, unchanged: 1 });
    expect(await findName(database, 1)).toBe("Person 1");
  });

  test("skips hidden and merged people whose stored state is equal", async () => {
    const { database } = await testDatabase();
    const people: Person[] = [
      person(1, { verified_wallets: [wallet(1)] }),
      person(2, { verified_wallets: [wallet(2)], merged: true }),
      person(3),
    ];
    await importAndVerify(database, people);
    await hide(database, [3]);
    const reordered = people.map(({ passport, ...rest }) => ({ ...rest, passport }));
    expect(await importAndVerify(database, reordered)).toMatchObject({ unchanged: 3 });
  });

  test("imports the first line of a passport_id and rejects duplicates", async () => {
    const { database } = await testDatabase();
    const otherPeople = Array.from({ length: 2_200 }, (_, index) => person(index + 10));
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
      { line: 2, field: "passport.passport_id", reason: "is already on line 1 of test" },
      { line: 2_203, field: "passport.passport_id", reason: "is already on line 1 of test" },
      { line: 2_204, field: "passport.passport_id", reason: "is already on line 4 of test" },
    ]);
    expect(await findName(database, 1)).toBe("First");
    expect(await importAndVerify(database, lines)).toMatchObject({ unchanged: 2_201, refused: 3 });
  });

  test.each([
    ["an operator key", { operator: { hidden: true } }],
    ["a line without credentials", { credentials: undefined }],
  ])("refuses %s, and imports the other lines", async (_, change) => {
    const { database } = await testDatabase();
    const imported = await importAndVerify(database, [{ ...person(1), ...change }, person(2)]);
    expect(imported).toMatchObject({ added: 1, refused: 1 });
    expect(await findName(database, 1)).toBeNull();
  });

  test("refuses a line that an export could not write in the allowed length", async () => {
    const { database } = await testDatabase();
    // V1 prints each of these numbers with 302 characters.
    const long = (count: number) =>
      Array.from({ length: count }, (_, index) => credential(String(index), { max_score: 1e-300, score: 1e-300 }));
    const lines = [person(1, {}, { credentials: long(300) }), person(2, {}, { credentials: long(400) })];
    expect(Buffer.byteLength(JSON.stringify(lines[1]))).toBeLessThan(LIMITS.lineBytes / 2);
    const { rejected, ...imported } = await importAndVerify(database, lines);
    expect(imported).toMatchObject({ added: 1, refused: 1 });
    expect(rejected).toMatchObject([{ line: 2, field: null }]);
    const [stored] = await listLines(database, [1]);
    expect(await importAndVerify(database, [stored?.line])).toMatchObject({ unchanged: 1, refused: 0 });
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
    const digest = "select encode(digest, 'hex') as digest from person";
    expect((await database.query(digest)).rows).toEqual([{ digest: null }]);
    expect(await importAndVerify(database, [person(1)])).toMatchObject({ unchanged: 1 });
    expect((await database.query(digest)).rows).toEqual([
      { digest: digestLine(Buffer.from(JSON.stringify(person(1)))) },
    ]);
  });

  test("a dry run reports the same counts and writes nothing", async () => {
    const { database } = await testDatabase();
    await importAndVerify(database, [person(1), person(2)]);
    const imported = await importAndVerify(database, [person(1), person(2, { display_name: "New" }), person(3), "{"], {
      dryRun: true,
    });
    expect(imported).toMatchObject({ added: 1, changed: 1, unchanged: 1, refused: 1 });
    expect(await findName(database, 2)).toBe("Person 2");
    expect(await findName(database, 3)).toBeNull();
  });
});
