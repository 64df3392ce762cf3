import type { Credential } from "@credence/contract/credential.ts";
import type { Connection } from "./database.ts";
import { printedMoment } from "./moments.ts";

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
  const { rows } = await connection.query<ListedCredential>(
    `select passport_id, id, earned_at, category, ${printedMoment("last_calculated_at")}, max_score, score, name, type, value
     from credential where passport_id = any ($1)`,
    [passportIds],
  );
  return rows;
}
