import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test } from "vitest";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
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
    await database.query("update passport set hidden = true where passport_id = 2");
    const unhidden = person(2, {}, { operator: { hidden: false } });
    expect(await importAndVerify(database, [person(1), unhidden])).toMatchObject({ changed: 2 });
    expect(await findName(database, 1)).toBe("Person 1");
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
      person(2, { verified_wallets: [wallet(2)], merged: true }),
      person(3, {}, { operator: { hidden: true } }),
    ];
    await importAndVerify(database, people);
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

  test("rejects only the lines that the database refuses", async () => {
    const { database } = await testDatabase();
    await database.query("alter table passport add check (bio is distinct from 'impossible')");
    const lines = Array.from({ length: 40 }, (_, index) => person(index + 1));
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
      { digest: digestLine(Buffer.from(JSON.stringify(person(1)))) },
    ]);
  });

  test("imports people again whose passport rows were deleted by hand", async () => {
    const { database } = await testDatabase();
    const people = Array.from({ length: 9 }, (_, index) =>
      person(index + 1, { verified_wallets: [wallet(index + 1)] }, { credentials: [credential("a")] }),
    );
    await importAndVerify(database, people);
    await database.query("delete from passport where passport_id in (3, 7)");
    expect(await importAndVerify(database, people)).toMatchObject({ added: 2, unchanged: 7, refused: 0 });
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
