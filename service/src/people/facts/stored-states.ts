import type { Connection } from "#core/database/database.ts";

/** What tells whether an incoming person equals the stored one, without reading the facts. */
export type StoredState = {
  passport_id: number;
  hidden: boolean;
  merged: boolean;
  etag: string | null;
  credentials_etag: string | null;
  presenter: number | null;
  credentials_presenter: number | null;
};

/** Of these people, those that are stored. By primary keys. */
export async function listStoredStates(connection: Connection, passportIds: readonly number[]): Promise<StoredState[]> {
  const { rows } = await connection.query<StoredState>({
    name: "stored-states",
    text: `select passport_id, hidden, merged, passport_document.etag, credential_document.etag as credentials_etag,
       passport_document.presenter, credential_document.presenter as credentials_presenter
     from passport left join passport_document using (passport_id) left join credential_document using (passport_id)
     where passport_id = any ($1)`,
    values: [passportIds],
  });
  return rows;
}

export type SourceDigest = { passport_id: number; digest: string };

/**
 * Stores the digests of lines that equal the stored state. A trigger clears the digest on any other
 * change.
 */
export async function updateSourceDigests(connection: Connection, digests: readonly SourceDigest[]): Promise<void> {
  await connection.query(
    `update passport set source_digest = decode(input.digest, 'hex')
     from json_to_recordset($1) as input (passport_id bigint, digest text)
     where passport.passport_id = input.passport_id`,
    [JSON.stringify(digests)],
  );
}

/**
 * Digests of the lines that these people were imported from, unless something has changed them
 * since.
 */
export async function listSourceDigests(
  connection: Connection,
  passportIds: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await connection.query<SourceDigest>({
    name: "source-digests",
    text: `select passport_id, encode(source_digest, 'hex') as digest from passport
     where passport_id = any ($1) and source_digest is not null`,
    values: [passportIds],
  });
  return new Map(rows.map((row) => [row.passport_id, row.digest]));
}
