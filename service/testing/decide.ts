import { type Database, inTransaction, queryColumn, queryValue } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import type { NewDecision } from "#decisions/ledger.ts";
import { decide } from "#decisions/settle.ts";
import { OPT_OUT_KEY } from "./import-lines.ts";

/** Makes a decision as a command does. */
export const decideNow = (database: Database, decision: NewDecision, key: string | null = OPT_OUT_KEY) =>
  inTransaction(database, async (connection) => {
    await lockPeople(connection);
    return decide(connection, decision, { key });
  });

/** The operator hides these people. */
export async function hide(database: Database, ids: readonly number[]): Promise<void> {
  for (const passportId of ids) await decideNow(database, { action: "hide", by: "operator", passportId });
}

/** The operator shows these people again. */
export async function show(database: Database, ids: readonly number[]): Promise<void> {
  for (const passportId of ids) await decideNow(database, { action: "show", by: "operator", passportId });
}

/** The operator erases these people. */
export async function erase(database: Database, ids: readonly number[], key = OPT_OUT_KEY): Promise<void> {
  for (const passportId of ids) await decideNow(database, { action: "erased", by: "operator", passportId }, key);
}

type StoredRequest = { passportId: number; wish: "hide" | "show" | "erase"; state: string; address?: string };

/** Stores an open request of a holder, as a worker leaves it. Returns its name in decisions. */
export const insertRequest = (
  database: Database,
  { passportId, wish, state, address = "wallet" }: StoredRequest,
): Promise<string> =>
  queryValue(
    database,
    `insert into holder_request (code_hash, passport_ids, wish, address, message, signature, nonce, state, due_at)
     values (sha256(gen_random_uuid()::text::bytea), array[$1::bigint], $2, $3, 'message', 'signature', gen_random_uuid()::text, $4,
       case when $4 = 'waiting' then now() end)
     returning request`,
    [passportId, wish, address, state],
  );

/** All rows of all tables, to compare what something changed. */
export async function readTables(database: Database): Promise<Record<string, string[]>> {
  const tables = await queryColumn<string>(
    database,
    "select tablename from pg_tables where schemaname = 'public' order by 1",
  );
  const rows = async (table: string) =>
    queryColumn<string>(database, `select stored::text from ${table} as stored order by 1`);
  const entries: [string, string[]][] = [];
  for (const table of tables) entries.push([table, await rows(table)]);
  return Object.fromEntries(entries);
}
