import { expect, test } from "vitest";
import { type Connection, queryColumn } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { testDatabase } from "#testing/database.ts";
import { erase, hide, insertRequest, show } from "#testing/decide.ts";
import { importLines } from "#testing/import-lines.ts";
import { credential, person } from "#testing/people.ts";
import { STORED_DATA, WITHOUT_PEOPLE } from "../../../docs/stored-data.ts";
import { TABLES_OF_PEOPLE } from "./planner-statistics.ts";

/** The tables of all epochs have one entry in the list. */
const entryOf = (table: string): string => (/^standing_\d/.test(table) ? "standing_…" : table);
const NAMED = new Set([...STORED_DATA.flatMap(({ tables }) => tables), ...Object.keys(WITHOUT_PEOPLE)]);
const DELETED = new Set(STORED_DATA.filter(({ erasure }) => erasure === "deleted").flatMap(({ tables }) => tables));

/** Tables with a column that can hold a passport number, a wallet, or a text about a person. */
const listTables = (connection: Connection): Promise<string[]> =>
  queryColumn(
    connection,
    `select distinct table_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE'
       and udt_name in ('int8', '_int8', 'numeric', 'text', '_text', 'varchar', 'bytea', 'json', 'jsonb')
     order by 1`,
  );

const listUnnamed = async (connection: Connection): Promise<string[]> =>
  (await listTables(connection)).filter((table) => !NAMED.has(entryOf(table)));

test("the planner's statistics are renewed for every table that an erasure changes", () => {
  const changed = STORED_DATA.filter(({ erasure }) => erasure === "deleted" || "partly" in erasure);
  const tables = new Set(changed.flatMap(({ tables }) => tables).filter((table) => table !== "standing_…"));
  expect(new Set<string>(TABLES_OF_PEOPLE)).toEqual(tables);
});

test("every table that can hold something about a person is named, with what an erasure does to it", async () => {
  const { database } = await testDatabase();
  expect(await listUnnamed(database)).toEqual([]);
  const all = await queryColumn<string>(database, "select tablename from pg_tables where schemaname = 'public'");
  const stored = new Set(all.map(entryOf));
  expect([...NAMED].filter((table) => !stored.has(table))).toEqual([]);
  await database.query("create table score_note (passport_id bigint, note text)");
  expect(await listUnnamed(database)).toEqual(["score_note"]);
});

const ID = 7_654_321_234_567;
const WALLET = "0xfeedfacefeedfacefeedfacefeedfacefeedface";
const NAME = "Quixanthe Übervoll";

const SOCIAL = {
  follower_count: null,
  following_count: null,
  location: null,
  profile_bio: null,
  profile_display_name: NAME,
  profile_image_url: null,
  profile_name: null,
  profile_url: null,
  source: "lens",
};

/** Tables with rows that mention the person. */
async function listTraces(connection: Connection): Promise<string[]> {
  const found = new Set<string>();
  for (const table of await listTables(connection)) {
    const { rowCount } = await connection.query(
      `select from ${table} as stored_row where stored_row::text ~* $1 limit 1`,
      [[ID, WALLET, NAME, "quixanthe ubervoll"].join("|")],
    );
    if (rowCount === 1) found.add(entryOf(table));
  }
  return [...found].sort();
}

test("an erasure empties every table that the list calls deleted, and leaves traces only where it says so", async () => {
  const { database } = await testDatabase();
  const line = (score: number) =>
    person(
      ID,
      { display_name: NAME, main_wallet: WALLET, score, passport_socials: [SOCIAL] },
      { credentials: [credential("gem", { score })] },
    );
  await importLines(database, [line(4), person(2, { verified_wallets: [WALLET] })]);
  await importLines(database, [line(9)]);
  await hide(database, [ID]);
  await show(database, [ID]);
  await refreshStanding(database);
  await insertRequest(database, { passportId: ID, wish: "hide", state: "review", address: WALLET });
  const before = await listTraces(database);
  expect([...DELETED].filter((table) => !before.includes(table))).toEqual([]);

  await erase(database, [ID]);
  expect((await listTraces(database)).filter((table) => DELETED.has(table))).toEqual([]);
  const kept = ["decision", "holder_request"];
  expect(await listTraces(database)).toEqual([...kept, "standing_correction", "standing_…"]);
  await refreshStanding(database);
  expect(await listTraces(database)).toEqual(kept);

  // What the guard is for: a table that somebody adds and forgets.
  await database.query("create table score_note (passport_id bigint, note text)");
  await database.query("insert into score_note values ($1, 'a note')", [ID]);
  expect(await listTraces(database)).toContain("score_note");
});
