import type { PassportDetail } from "@credence/contract/passport.ts";
import type { Person } from "@credence/contract/person.ts";
import { createRowEncoder, type RowEncoder } from "#core/database/copy.ts";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { encodeCredentialDocument, encodePassportDocument } from "#people/facts/documents.ts";
import type { PersonRow } from "#people/facts/people.ts";
import { deriveColumns, lineOf, presentPerson } from "#people/line.ts";

/** A person ready to be written: the row of `person`, and the encoded rows of the documents. */
export type PreparedPerson = PersonRow & {
  /** With canonical wallets. */
  passport: PassportDetail;
  etag: string;
  credentials_etag: string;
  presenter: number;
  credentials_presenter: number;
  documents: { passport: Uint8Array; credentials: Uint8Array };
};

export function preparePeople(people: readonly Person[]): PreparedPerson[] {
  const encode = createRowEncoder();
  return people.map((person) => preparePerson(person, { digest: null, lost_main: false }, encode));
}

export function preparePerson(
  { passport: incoming, credentials }: Person,
  { digest, lost_main }: Pick<PersonRow, "digest" | "lost_main">,
  encode: RowEncoder,
): PreparedPerson {
  const passport = withCanonicalWallets(incoming);
  const documents = presentPerson({ passport, credentials });
  return {
    ...deriveColumns({ passport, credentials }),
    lost_main,
    digest,
    line: lineOf(documents),
    passport,
    etag: documents.etag,
    credentials_etag: documents.credentials_etag,
    presenter: documents.presenter,
    credentials_presenter: documents.credentials_presenter,
    documents: {
      passport: encode(encodePassportDocument(documents)),
      credentials: encode(encodeCredentialDocument(documents)),
    },
  };
}

function withCanonicalWallets(passport: PassportDetail): PassportDetail {
  const main_wallet = passport.main_wallet === null ? null : canonicalWallet(passport.main_wallet);
  const verified_wallets = withoutRepeated(passport.verified_wallets.map(canonicalWallet));
  return { ...passport, main_wallet, verified_wallets };
}

/** The spellings of one wallet in a line are one wallet. */
const withoutRepeated = (addresses: string[]): string[] => (addresses.length < 2 ? addresses : [...new Set(addresses)]);
