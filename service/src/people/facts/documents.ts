import { copyEncoded, type EncodedRows, encodeRow } from "#core/database/copy.ts";
import { type Connection, queryColumn } from "#core/database/database.ts";

export type StoredDocuments = {
  passport_id: number;
  body: string;
  tail: string;
  etag: string;
  presenter: number;
  credentials_body: string;
  credentials_etag: string;
  credentials_presenter: number;
};

/** The two documents of a person, each encoded for `insertDocuments`. */
export const encodePassportDocument = (documents: StoredDocuments): string =>
  encodeRow([documents.passport_id, documents.body, documents.tail, documents.etag, documents.presenter]);

export const encodeCredentialDocument = (documents: StoredDocuments): string =>
  encodeRow([
    documents.passport_id,
    documents.credentials_body,
    documents.credentials_etag,
    documents.credentials_presenter,
  ]);

/** For people without such documents. */
export async function insertDocuments(
  connection: Connection,
  passportDocuments: readonly EncodedRows[],
  credentialDocuments: readonly EncodedRows[],
): Promise<void> {
  const passports = "passport_document (passport_id, body, tail, etag, presenter)";
  await copyEncoded(connection, passports, passportDocuments.values());
  await copyEncoded(
    connection,
    "credential_document (passport_id, body, etag, presenter)",
    credentialDocuments.values(),
  );
}

/** Equal rows are not written again. */
export async function upsertDocuments(connection: Connection, documents: readonly StoredDocuments[]): Promise<void> {
  const input = JSON.stringify(documents);
  await connection.query(
    `insert into passport_document as stored (passport_id, body, tail, etag, presenter)
     select * from json_to_recordset($1) as input (passport_id bigint, body text, tail text, etag text, presenter int)
     order by passport_id
     on conflict (passport_id) do update
     set body = excluded.body, tail = excluded.tail, etag = excluded.etag, presenter = excluded.presenter
     where (stored.body, stored.tail, stored.etag, stored.presenter)
       is distinct from (excluded.body, excluded.tail, excluded.etag, excluded.presenter)`,
    [input],
  );
  await connection.query(
    `insert into credential_document as stored (passport_id, body, etag, presenter)
     select * from json_to_recordset($1) as input (
       passport_id bigint, credentials_body text, credentials_etag text, credentials_presenter int)
     order by passport_id
     on conflict (passport_id) do update
     set body = excluded.body, etag = excluded.etag, presenter = excluded.presenter
     where (stored.body, stored.etag, stored.presenter) is distinct from (excluded.body, excluded.etag, excluded.presenter)`,
    [input],
  );
}

export async function deleteDocuments(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from passport_document where passport_id = any ($1)", [passportIds]);
  await connection.query("delete from credential_document where passport_id = any ($1)", [passportIds]);
}

/** Fields of a missing document are null. */
export type FoundDocuments = { [Field in keyof StoredDocuments]: StoredDocuments[Field] | null } & {
  passport_id: number;
};

export async function listDocuments(connection: Connection, passportIds: readonly number[]): Promise<FoundDocuments[]> {
  const { rows } = await connection.query<FoundDocuments>(
    `select passport_id, passport_document.body, tail, passport_document.etag, credential_document.body as credentials_body,
       credential_document.etag as credentials_etag, passport_document.presenter,
       credential_document.presenter as credentials_presenter
     from unnest($1::bigint[]) as wanted (passport_id)
       left join passport_document using (passport_id) left join credential_document using (passport_id)
     where passport_document.passport_id is not null or credential_document.passport_id is not null`,
    [passportIds],
  );
  return rows;
}

/** Ids with a line, a wallet or a document, in order, after one. By indexes. */
export async function listKnownIdsAfter(connection: Connection, after: number, limit: number): Promise<number[]> {
  const next = (table: string) =>
    `(select passport_id from ${table} where passport_id > $1 order by passport_id limit $2)`;
  return queryColumn<number>(
    connection,
    `${["person", "person_wallet", "passport_document", "credential_document"].map(next).join(" union ")}
     order by passport_id limit $2`,
    [after, limit],
  );
}

/**
 * Another version of the presenter that wrote a document, if a sample contains one: both ends of
 * the tables and 1 % of their pages. Reading all of ten million people would take minutes;
 * `documents verify` does.
 */
export async function findForeignPresenter(connection: Connection, presenter: number): Promise<number | null> {
  const { rows } = await connection.query<{ presenter: number }>(
    `select presenter from (${sampleOf("passport_document")}) as sample where presenter <> $1
     union all select presenter from (${sampleOf("credential_document")}) as sample where presenter <> $1
     limit 1`,
    [presenter],
  );
  return rows[0]?.presenter ?? null;
}

const sampleOf = (table: string): string =>
  `(select presenter from ${table} order by passport_id limit 1000)
   union all (select presenter from ${table} order by passport_id desc limit 1000)
   union all (select presenter from ${table} tablesample system (1))`;
