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

/** The columns that explain a score. */
export type CountedCredential = Pick<
  ListedCredential,
  "passport_id" | "id" | "name" | "category" | "score" | "max_score"
>;

export async function listCounted(
  connection: Connection,
  passportIds: readonly number[],
): Promise<CountedCredential[]> {
  if (passportIds.length === 0) return [];
  const { rows } = await connection.query<CountedCredential>(
    "select passport_id, id, name, category, score, max_score from credential where passport_id = any ($1) order by passport_id, id",
    [passportIds],
  );
  return rows;
}

export type ScoringCredential = Pick<ListedCredential, "passport_id" | "category" | "score" | "max_score">;

/** The columns that scoring needs: reading all of them costs twice the time. */
export async function listScoring(
  connection: Connection,
  passportIds: readonly number[],
): Promise<ScoringCredential[]> {
  const { rows } = await connection.query<ScoringCredential>({
    name: "scoring-credentials",
    text: "select passport_id, category, score, max_score from credential where passport_id = any ($1)",
    values: [passportIds],
  });
  return rows;
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
