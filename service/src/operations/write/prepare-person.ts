import type { PassportDetail } from "@credence/contract/passport.ts";
import type { Person } from "@credence/contract/person.ts";
import { fold } from "#identity/fold.ts";
import { canonicalWallet } from "#identity/reference.ts";
import { presentPerson } from "#operations/people/present-person.ts";
import { presentPassport } from "#present/passport.ts";
import { type Scores, scoresOf } from "#scoring/score.ts";
import { createRowEncoder, type RowEncoder } from "#store/engine/copy.ts";
import { printCredentials } from "#store/people/credentials.ts";
import { printCredentialDocument, printPassportDocument } from "#store/people/documents.ts";
import { type PassportFacts, printPassport } from "#store/people/passports.ts";
import { printSocials } from "#store/people/socials.ts";

/** A person ready to be saved: what decides whether and how, and rows that only need to be sent. */
export type PreparedPerson = {
  passport_id: number;
  merged: boolean;
  operator: NonNullable<Person["operator"]>;
  /** By position: the main wallet, or null, and the verified ones. */
  wallets: (string | null)[];
  etag: string;
  credentials_etag: string;
  scores: Scores;
  rows: {
    passport: Uint8Array;
    socials: Uint8Array;
    credentials: Uint8Array;
    /** As they are if no merge adds to them. */
    passportDocument: Uint8Array;
    credentialDocument: Uint8Array;
  };
};

export function preparePeople(people: readonly Person[]): PreparedPerson[] {
  const press = createRowEncoder();
  return people.map((person) => preparePerson(person, null, press));
}

/** `queued`: the documents show that a recalculation is queued; `etag` is still that of the facts alone. */
export function preparePerson(
  given: Person,
  sourceDigest: string | null,
  press: RowEncoder,
  queued = false,
): PreparedPerson {
  const passport = withCanonicalWallets(given.passport);
  const { passport_id, main_wallet, verified_wallets } = passport;
  const shown = queued ? { ...passport, calculating_score: true } : passport;
  const documents = presentPerson({ passport: shown, credentials: given.credentials });
  return {
    passport_id,
    merged: passport.merged,
    operator: given.operator ?? {},
    wallets: [main_wallet, ...verified_wallets],
    etag: queued ? presentPassport(passport).etag : documents.etag,
    credentials_etag: documents.credentials_etag,
    scores: scoresOf(passport),
    rows: {
      passport: press(printPassport(factsOf(passport, sourceDigest))),
      socials: press(printSocials(passport_id, passport.passport_socials)),
      credentials: press(printCredentials(passport_id, given.credentials)),
      passportDocument: press(printPassportDocument(documents)),
      credentialDocument: press(printCredentialDocument(documents)),
    },
  };
}

function withCanonicalWallets(passport: PassportDetail): PassportDetail {
  const main_wallet = passport.main_wallet === null ? null : canonicalWallet(passport.main_wallet);
  return { ...passport, main_wallet, verified_wallets: passport.verified_wallets.map(canonicalWallet) };
}

// Field by field: taking the rest of an object is slow, and so is what it leaves.
function factsOf(passport: PassportDetail, source_digest: string | null): PassportFacts {
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
    folded_name: display_name === null ? null : fold(display_name),
    location,
    tags,
    merged: passport.merged,
    source_digest,
  };
}
