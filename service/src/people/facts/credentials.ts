import type { Credential } from "@credence/contract/credential.ts";
import { copyEncoded, type EncodedRows, encodeRow } from "#core/database/copy.ts";
import { type Connection, formattedTimestamp } from "#core/database/database.ts";

export type ListedCredential = Credential & { passport_id: number };

/** A person's credentials, encoded for `insertCredentials`. */
export function encodeCredentials(passportId: number, credentials: readonly Credential[]): string {
  return credentials
    .map((credential) =>
      encodeRow([
        passportId,
        credential.id,
        credential.earned_at,
        credential.category,
        credential.last_calculated_at,
        credential.max_score,
        credential.score,
        credential.name,
        credential.type,
        credential.value,
      ]),
    )
    .join("");
}

export async function insertCredentials(connection: Connection, printed: Iterable<EncodedRows>): Promise<void> {
  await copyEncoded(
    connection,
    "credential (passport_id, id, earned_at, category, last_calculated_at, max_score, score, name, type, value)",
    printed,
  );
}

export async function deleteCredentials(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from credential where passport_id = any ($1)", [passportIds]);
}

export async function listCredentials(
  connection: Connection,
  passportIds: readonly number[],
): Promise<ListedCredential[]> {
  const { rows } = await connection.query<ListedCredential>(
    `select passport_id, id, earned_at, category, ${formattedTimestamp("last_calculated_at")}, max_score, score, name, type, value
     from credential where passport_id = any ($1)`,
    [passportIds],
  );
  return rows;
}
