import type { Person } from "@credence/contract/person.ts";
import { presentCredentials } from "#present/credentials.ts";
import { presentPassport } from "#present/passport.ts";
import { PRESENTER_VERSION } from "#present/version.ts";
import type { StoredDocuments } from "#store/people/documents.ts";

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
