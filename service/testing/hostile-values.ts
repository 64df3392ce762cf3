import { expect } from "vitest";
import type { Database } from "#core/database/database.ts";
import { rebuildDocuments } from "#people/documents/rebuild-documents.ts";

/** Clears the screen, rings, turns the direction of text, and begins a line of its own. */
const HOSTILE = "x\u001B[2J\u0007\u202E\nFORGED\r";

/** Every stored text that commands may print and that another program may have written. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  api_key: ["label", "contact"],
  audit: ["by_role"],
  credential: ["category", "name", "type", "value", "earned_at"],
  holder_request: ["note", "last_error", "address", "message"],
  holder_settings: ["public_url", "holder_keys", "opt_out_key"],
  passport: ["bio", "display_name", "location"],
  social: ["profile_name", "profile_bio", "source"],
  usage_count: ["client"],
};

/** Appends the hostile text to every such value of a table. */
export async function plantHostileTexts(database: Database, table: string): Promise<void> {
  for (const column of COLUMNS[table] ?? []) {
    await database.query(`update ${table} set ${column} = ${column} || $1 where ${column} is not null`, [HOSTILE]);
  }
}

/** The same in all tables. */
export async function plantHostileValues(database: Database): Promise<void> {
  for (const table of Object.keys(COLUMNS)) await plantHostileTexts(database, table);
  await rebuildDocuments(database, () => {});
}

export function expectPrintable(output: string): void {
  expect(output).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  expect(output).not.toMatch(/^FORGED/m);
}
