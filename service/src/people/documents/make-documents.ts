import type { Person } from "@credence/contract/person.ts";
import type { Connection } from "#core/database/database.ts";
import type { StoredDocuments } from "#people/facts/documents.ts";
import { presentCredentials } from "#people/present/credentials.ts";
import { presentPassport } from "#people/present/passport.ts";
import { PRESENTER_VERSION } from "#people/present/version.ts";
import { readPeople } from "#people/read/read-people.ts";

/**
 * The documents that these people should have, from their facts. Hidden and unknown people have
 * none.
 */
export async function makeDocuments(connection: Connection, ids: readonly number[]): Promise<StoredDocuments[]> {
  const people = await readPeople(connection, ids);
  return people.filter(({ operator }) => !operator.hidden).map(presentPerson);
}

/** The two documents of a person, from the passport and the credentials alone. */
export function presentPerson({ passport, credentials }: Person): StoredDocuments {
  const { body: credentials_body, etag: credentials_etag } = presentCredentials(credentials);
  return {
    passport_id: passport.passport_id,
    ...presentPassport(passport),
    credentials_body,
    credentials_etag,
    credentials_presenter: PRESENTER_VERSION,
  };
}
