import { describe, expect, test } from "vitest";
import type { Database } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { erasePerson, planErasure } from "./erase-person.ts";

/** Counts the rows of all tables that contain a wallet. */
async function countTraces(database: Database, address: string): Promise<number> {
  const { rows: tables } = await database.query("select tablename from pg_tables where schemaname = 'public'");
  let traces = 0;
  for (const { tablename } of tables) {
    const { rows } = await database.query(
      `select count(*) from ${tablename} as stored_row where strpos(stored_row::text, $1) > 0`,
      [address],
    );
    traces += rows[0].count;
  }
  return traces;
}

describe("erasePerson", () => {
  test("removes the wallets from epoch rows that are older than the facts", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(5, { main_wallet: wallet(5) }), person(6, { verified_wallets: [wallet(5)] })]);
    await refreshStanding(database);
    // The epoch had wallet 5 with passport 6. The facts no longer do.
    await importLines(database, [person(6)]);
    expect(await countTraces(database, wallet(5))).toBeGreaterThan(0);
    await erasePerson(database, 5, OPT_OUT_KEY);
    expect(await countTraces(database, wallet(5))).toBe(0);
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
  });

  test("removes the wallets of a merged person from the record that lists them too", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [
      person(1, { verified_wallets: [wallet(2)] }),
      person(2, { main_wallet: wallet(2), merged: true }),
    ]);
    await refreshStanding(database);
    expect(await planErasure(database, 2)).toMatchObject({ lose_a_wallet: [1] });
    await erasePerson(database, 2, OPT_OUT_KEY);
    expect(await countTraces(database, wallet(2))).toBe(0);
    expect((await verifyDocuments(database, () => {})).different).toBe(0);
  });

  test("a record with the same main wallet goes too, and neither comes back without its wallet", async () => {
    const { database } = await testDatabase();
    await savePeople(
      database,
      [1, 2].map((id) => person(id, { main_wallet: wallet(9) })),
    );
    await erasePerson(database, 1, OPT_OUT_KEY);
    await importLines(database, [person(1), person(2), person(3)]);
    expect((await database.query("select passport_id from passport")).rows).toEqual([{ passport_id: 3 }]);
  });

  test("after two refreshes the files of the epoch tables no longer contain the name", async () => {
    const { database } = await testDatabase();
    const name = "zyxwvut uniquename";
    await savePeople(database, [person(1), person(2, { display_name: name })]);
    await refreshStanding(database);
    /** Lists the tables and indexes of epochs whose files contain the name, in deleted rows too. */
    const listFilesWithName = async (): Promise<string[]> => {
      await database.query("checkpoint");
      const { rows } = await database.query<{ relname: string }>(
        `select relname from pg_class where relname ~ '^standing_\\d' and relkind in ('r', 'i')
           and pg_relation_size(oid) > 0
           and position($1::bytea in pg_read_binary_file(pg_relation_filepath(oid))) > 0 order by 1`,
        [Buffer.from(name)],
      );
      return rows.map((row) => row.relname);
    };
    expect(await listFilesWithName()).toContain("standing_2");
    await erasePerson(database, 2, OPT_OUT_KEY);
    await database.query("vacuum");
    await refreshStanding(database);
    await refreshStanding(database);
    expect(await listFilesWithName()).toEqual([]);
  });

  test("returns false for an erased passport and for an unknown id", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1)]);
    expect(await erasePerson(database, 1, OPT_OUT_KEY)).toBe(true);
    expect(await erasePerson(database, 1, OPT_OUT_KEY)).toBe(false);
    expect(await erasePerson(database, 2, OPT_OUT_KEY)).toBe(false);
    expect((await database.query("select passport_id from opt_out")).rows).toEqual([{ passport_id: 1 }]);
  });
});
