import { describe, expect, test } from "vitest";
import type { Database } from "#core/database/database.ts";
import { listHiddenByHolder } from "#people/facts/hidden-by-holder.ts";
import { readPeople } from "#people/read/read-people.ts";
import { savePeople } from "#people/write/save-people.ts";
import { asLine } from "#snapshots/export/export-people.ts";
import { testDatabase } from "#testing/database.ts";
import { importLines } from "#testing/import-lines.ts";
import { findPassportById } from "#testing/look-up.ts";
import { person } from "#testing/people.ts";

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
    const lines = (await readPeople(database, [1, 2])).map((found, index) => asLine(found, index === 0));
    expect(lines.map(({ operator }) => operator)).toEqual([{ hidden: true, hidden_by: "holder" }, { hidden: true }]);
    const { database: other } = await testDatabase();
    await importLines(other, lines);
    expect(await listHiddenByHolder(other, [1, 2])).toEqual([1]);
    // A hide by the operator does not become one by the holder.
    await importLines(other, [person(2, { display_name: "X" }, { operator: { hidden: true, hidden_by: "holder" } })]);
    expect(await listHiddenByHolder(other, [1, 2])).toEqual([1]);
  });
});
