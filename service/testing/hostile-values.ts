import { expect } from "vitest";
import { type Database, inTransaction } from "#core/database/database.ts";
import { rebuildDocuments } from "#people/documents/rebuild-documents.ts";
import { listLinesAfter } from "#people/facts/people.ts";
import { lineOf, presentPerson } from "#people/line.ts";

/** Clears the screen, rings, turns the direction of text, and begins a line of its own. */
const HOSTILE = "x\u001B[2J\u0007\u202E\nFORGED\r";

/** Every stored text that commands may print and that another program may have written, apart from lines. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  api_key: ["label", "contact"],
  decision: ["by_role"],
  holder_request: ["note", "last_error", "address", "message"],
  usage_count: ["client"],
};

const FIELDS = new Set(
  ["bio display_name location", "profile_name profile_bio source", "category name type value earned_at"].flatMap(
    (names) => names.split(" "),
  ),
);

/** Appends the hostile text to every such value of a table. */
export function plantHostileTexts(database: Database, table: string): Promise<void> {
  return inTransaction(database, async (connection) => {
    // Triggers refuse to change decisions.
    await connection.query("set local session_replication_role = replica");
    for (const column of COLUMNS[table] ?? []) {
      await connection.query(`update ${table} set ${column} = ${column} || $1 where ${column} is not null`, [HOSTILE]);
    }
  });
}

/** The same in all tables. */
export async function plantHostileValues(database: Database): Promise<void> {
  for (const table of Object.keys(COLUMNS)) await plantHostileTexts(database, table);
  for (const { passport_id, line } of await listLinesAfter(database, 0, 1_000)) {
    const hostile = JSON.parse(line, (name, value) =>
      typeof value === "string" && FIELDS.has(name) ? value + HOSTILE : value,
    );
    const canonical = lineOf(presentPerson(hostile));
    await database.query("update person set line = $2 where passport_id = $1", [passport_id, canonical]);
  }
  await rebuildDocuments(database, () => {});
}

export function expectPrintable(output: string): void {
  expect(output).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  expect(output).not.toMatch(/^FORGED/m);
}
