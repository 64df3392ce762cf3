import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import type { Person } from "@credence/contract/person.ts";
import { fold } from "#core/identity/fold.ts";
import type { StoredDocuments } from "#people/facts/documents.ts";
import type { Derived } from "#people/facts/people.ts";
import type { ListedWallet } from "#people/facts/wallets.ts";
import { presentCredentials } from "#people/present/credentials.ts";
import { presentPassport } from "#people/present/passport.ts";
import { PRESENTER_VERSION } from "#people/present/version.ts";

// A person is stored as one line. Documents, columns and wallets follow from it.

/** The facts of a person. */
export type PersonFacts = { passport: PassportDetail; credentials: Credential[] };

/** The two documents of a person. */
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

const LIST = '{"passport_credentials":';

/** The line in canonical form: the documents, joined as text. So each of them is a part of it. */
export const lineOf = ({ body, tail, credentials_body }: StoredDocuments): string =>
  `{"passport":${body.slice(0, -1)}${tail},"credentials":${credentials_body.slice(LIST.length)}`;

export const parseLine = (line: string): PersonFacts => JSON.parse(line);

export const deriveColumns = ({ passport, credentials }: Person): Derived => {
  const { display_name } = passport.passport_profile;
  return {
    passport_id: passport.passport_id,
    score: passport.score,
    last_calculated_at: passport.last_calculated_at,
    folded_name: display_name === null ? null : fold(display_name),
    merged: passport.merged,
    credentials: credentials.length,
  };
};

/** The wallets of a passport in canonical form, each once, in the order of their addresses. */
export function deriveWallets({ passport_id, main_wallet, verified_wallets }: PassportDetail): ListedWallet[] {
  const addresses = new Set(main_wallet === null ? verified_wallets : [main_wallet, ...verified_wallets]);
  return [...addresses].sort().map((address) => ({ passport_id, address, is_main: address === main_wallet }));
}

/** The person without these wallets. */
export function withoutWallets<Facts extends Person>(person: Facts, removed: ReadonlySet<string>): Facts {
  const { main_wallet, verified_wallets } = person.passport;
  return {
    ...person,
    passport: {
      ...person.passport,
      main_wallet: main_wallet !== null && removed.has(main_wallet) ? null : main_wallet,
      verified_wallets: verified_wallets.filter((address) => !removed.has(address)),
    },
  };
}
