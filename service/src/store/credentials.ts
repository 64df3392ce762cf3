import type { Credential } from "@credence/contract/credential.ts";
import { copyPrinted, type PrintedRows, printRow } from "./copy.ts";
import type { Connection } from "./database.ts";
import { printedMoment } from "./moments.ts";

export type ListedCredential = Credential & { passport_id: number };

/** A person's credentials as rows for `insertCredentials`. */
export function printCredentials(passportId: number, credentials: readonly Credential[]): string {
  return credentials
    .map((credential) =>
      printRow([
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

export async function insertCredentials(connection: Connection, printed: Iterable<PrintedRows>): Promise<void> {
  await copyPrinted(
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
    `select passport_id, id, earned_at, category, ${printedMoment("last_calculated_at")}, max_score, score, name, type, value
     from credential where passport_id = any ($1)`,
    [passportIds],
  );
  return rows;
}
