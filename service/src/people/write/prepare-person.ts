import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import type { Person } from "@credence/contract/person.ts";
import { createRowEncoder, type RowEncoder } from "#core/database/copy.ts";
import { fold } from "#core/identity/fold.ts";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { presentPerson } from "#people/documents/make-documents.ts";
import { encodeCredentials } from "#people/facts/credentials.ts";
import { encodeCredentialDocument, encodePassportDocument } from "#people/facts/documents.ts";
import type { PassportRow } from "#people/facts/passports.ts";
import { encodeSocials } from "#people/facts/socials.ts";

/** A person ready to be written: the typed person, and the encoded rows of its larger tables. */
export type PreparedPerson = {
  passport_id: number;
  /** With canonical wallets. */
  passport: PassportDetail;
  credentials: readonly Credential[];
  operator: NonNullable<Person["operator"]>;
  sourceDigest: string | null;
  foldedName: string | null;
  etag: string;
  credentials_etag: string;
  presenter: number;
  credentials_presenter: number;
  rows: {
    socials: Uint8Array;
    credentials: Uint8Array;
    passportDocument: Uint8Array;
    credentialDocument: Uint8Array;
  };
};

export function preparePeople(people: readonly Person[]): PreparedPerson[] {
  const encode = createRowEncoder();
  return people.map((person) => preparePerson(person, null, encode));
}

export function preparePerson(
  { passport: incoming, credentials, operator = {} }: Person,
  sourceDigest: string | null,
  encode: RowEncoder,
): PreparedPerson {
  const passport = withCanonicalWallets(incoming);
  const { passport_id, passport_profile, passport_socials } = passport;
  const documents = presentPerson({ passport, credentials });
  return {
    passport_id,
    passport,
    credentials,
    operator,
    sourceDigest,
    foldedName: passport_profile.display_name === null ? null : fold(passport_profile.display_name),
    etag: documents.etag,
    credentials_etag: documents.credentials_etag,
    presenter: documents.presenter,
    credentials_presenter: documents.credentials_presenter,
    rows: {
      socials: encode(encodeSocials(passport_id, passport_socials)),
      credentials: encode(encodeCredentials(passport_id, credentials)),
      passportDocument: encode(encodePassportDocument(documents)),
      credentialDocument: encode(encodeCredentialDocument(documents)),
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

/** The row of `passport`. Field by field: object rest syntax is slow here. */
export function passportRow(
  { passport, sourceDigest, foldedName }: Pick<PreparedPerson, "passport" | "sourceDigest" | "foldedName">,
  { hidden }: Pick<PassportRow, "hidden">,
): PassportRow {
  const { bio, display_name, location, tags } = passport.passport_profile;
  return {
    passport_id: passport.passport_id,
    activity_score: passport.activity_score,
    identity_score: passport.identity_score,
    skills_score: passport.skills_score,
    score: passport.score,
    calculating_score: passport.calculating_score,
    connections_count: passport.connections_count,
    human_checkmark: passport.human_checkmark,
    last_calculated_at: passport.last_calculated_at,
    bio,
    display_name,
    folded_name: foldedName,
    location,
    tags,
    merged: passport.merged,
    source_digest: sourceDigest,
    hidden,
  };
}
