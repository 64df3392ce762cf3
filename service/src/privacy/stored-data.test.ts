import { expect, test } from "vitest";
import { type Connection, queryColumn } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { testDatabase } from "#testing/database.ts";
import { importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { credential, person } from "#testing/people.ts";
import { changePerson } from "./change-person.ts";
import { erasePerson } from "./erase-person.ts";
import { STORED_DATA, WITHOUT_PEOPLE } from "./stored-data.ts";

/** The tables of all epochs have one entry in the list. */
const entryOf = (table: string): string => (/^standing_\d/.test(table) ? "standing_…" : table);
const NAMED = new Set([...STORED_DATA.flatMap(({ tables }) => tables), ...Object.keys(WITHOUT_PEOPLE)]);
const DELETED = new Set(STORED_DATA.filter(({ erasure }) => erasure === "deleted").flatMap(({ tables }) => tables));

/** Tables with a column that can hold a passport number, a wallet, or a text about a person. */
const listTables = (connection: Connection): Promise<string[]> =>
  queryColumn(
    connection,
    `select distinct table_name from information_schema.columns
     where table_schema = 'public' and udt_name in ('int8', '_int8', 'numeric', 'text', '_text', 'varchar', 'bytea', 'json', 'jsonb')
     order by 1`,
  );

const listUnnamed = async (connection: Connection): Promise<string[]> =>
  (await listTables(connection)).filter((table) => !NAMED.has(entryOf(table)));

test("every table that can hold something about a person is named, with what an erasure does to it", async () => {
  const { database } = await testDatabase();
  expect(await listUnnamed(database)).toEqual([]);
  const stored = new Set((await listTables(database)).map(entryOf));
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
async function listTraces(connection: Connection): Promise<Set<string>> {
  const found = new Set<string>();
  for (const table of await listTables(connection)) {
    const { rowCount } = await connection.query(
      `select from ${table} as stored_row where stored_row::text ~* $1 limit 1`,
      [[ID, WALLET, NAME, "quixanthe ubervoll"].join("|")],
    );
    if (rowCount === 1) found.add(entryOf(table));
  }
  return found;
}

test("an erasure empties every table that the list calls deleted, and leaves traces only where it says so", async () => {
  const { database } = await testDatabase();
  const line = (score: number) =>
    person(
      ID,
      { display_name: NAME, main_wallet: WALLET, score, passport_socials: [SOCIAL] },
      { credentials: [credential("gem", { score })] },
    );
  await importLines(database, [line(4), person(2)]);
  await importLines(database, [line(9)]);
  await changePerson(database, { action: "hide", passportId: ID });
  await changePerson(database, { action: "unhide", passportId: ID });
  await refreshStanding(database);
  await database.query(
    `insert into holder_hide (passport_id) values (${ID});
     insert into unsigned_erasure (passport_id, asked_at) values (${ID}, now());
     insert into shown_after_backup (passport_id) values (${ID});
     insert into holder_request (code_hash, passport_id, action, address, message, signature, nonce)
       values (sha256('code'), ${ID}, 'see', '${WALLET}', 'message', 'signature', 'nonce');
     insert into holder_export (request_id, body, expires_at) select request_id, '${NAME}', now() from holder_request`,
  );
  const before = await listTraces(database);
  expect([...DELETED].filter((table) => !before.has(table))).toEqual([]);

  await erasePerson(database, ID, OPT_OUT_KEY);
  const after = await listTraces(database);
  expect([...after].filter((table) => DELETED.has(table))).toEqual([]);
  const kept = ["audit", "holder_request", "opt_out", "opt_out_wallet"];
  expect([...after].sort()).toEqual([...kept, "standing_correction", "standing_…"]);
  await refreshStanding(database);
  expect([...(await listTraces(database))].sort()).toEqual(kept);

  // What the guard is for: a table that somebody adds and forgets.
  await database.query("create table score_note (passport_id bigint, note text)");
  await database.query("insert into score_note values ($1, 'a note')", [ID]);
  expect(await listTraces(database)).toContain("score_note");
});
