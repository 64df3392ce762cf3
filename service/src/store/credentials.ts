import type { Credential } from "@credence/contract/credential.ts";
import type { Connection } from "./database.ts";

export type ListedCredential = Credential & { passport_id: number };

export async function replaceCredentials(
  connection: Connection,
  passportIds: readonly number[],
  credentials: readonly ListedCredential[],
): Promise<void> {
  await connection.query("delete from credential where passport_id = any ($1)", [passportIds]);
  await connection.query(
    `insert into credential (passport_id, id, earned_at, category, last_calculated_at, max_score, score, name, type, value)
     select * from json_to_recordset($1) as given (
       passport_id bigint, id text, earned_at text, category text, last_calculated_at timestamptz, max_score float8,
       score float8, name text, type text, value text)`,
    [JSON.stringify(credentials)],
  );
}

export async function listCredentials(
  connection: Connection,
  passportIds: readonly number[],
): Promise<ListedCredential[]> {
  const { rows } = await connection.query<
    Omit<ListedCredential, "last_calculated_at"> & { last_calculated_at: Date | null }
  >(
    `select passport_id, id, earned_at, category, last_calculated_at, max_score, score, name, type, value
     from credential where passport_id = any ($1)`,
    [passportIds],
  );
  return rows.map((row) => ({ ...row, last_calculated_at: row.last_calculated_at?.toISOString() ?? null }));
}
