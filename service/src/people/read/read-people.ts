import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import type { Connection } from "#core/database/database.ts";
import { type ListedCredential, listCredentials } from "#people/facts/credentials.ts";
import { listPassports, type StoredPassport } from "#people/facts/passports.ts";
import { type ListedSocial, listSocials } from "#people/facts/socials.ts";
import { type ListedWallet, listWallets } from "#people/facts/wallets.ts";
import { presentSocial } from "#people/present/passport.ts";

/** A person's facts: the record, and what V1 does not show. */
export type PersonFacts = { passport: PassportDetail; credentials: Credential[]; operator: { hidden: boolean } };

/** The facts of these people, in order of their ids. */
export async function readPeople(connection: Connection, ids: readonly number[]): Promise<PersonFacts[]> {
  const passports = await listPassports(connection, ids);
  const wallets = groupByPerson(await listWallets(connection, ids));
  const socials = groupByPerson(await listSocials(connection, ids));
  const credentials = groupByPerson(await listCredentials(connection, ids));
  return passports.map((row) => {
    const { passport_id: id, hidden } = row;
    return {
      passport: passportOf(row, wallets(id), socials(id)),
      credentials: credentials(id).map(credentialOf),
      operator: { hidden },
    };
  });
}

export function groupByPerson<Row extends { passport_id: number }>(rows: readonly Row[]): (id: number) => Row[] {
  const groups = Map.groupBy(rows, (row) => row.passport_id);
  return (id) => groups.get(id) ?? [];
}

const passportOf = (row: StoredPassport, wallets: ListedWallet[], socials: ListedSocial[]): PassportDetail => ({
  activity_score: row.activity_score,
  identity_score: row.identity_score,
  skills_score: row.skills_score,
  score: row.score,
  calculating_score: row.calculating_score,
  connections_count: row.connections_count,
  human_checkmark: row.human_checkmark,
  last_calculated_at: row.last_calculated_at,
  main_wallet: wallets.find((wallet) => wallet.position === 0)?.address ?? null,
  passport_id: row.passport_id,
  passport_profile: {
    bio: row.bio,
    display_name: row.display_name,
    location: row.location,
    tags: row.tags,
  },
  verified_wallets: wallets.filter((wallet) => wallet.position > 0).map((wallet) => wallet.address),
  merged: row.merged,
  passport_socials: socials.map(presentSocial),
});

const credentialOf = (row: ListedCredential): Credential => ({
  id: row.id,
  earned_at: row.earned_at,
  category: row.category,
  last_calculated_at: row.last_calculated_at,
  max_score: row.max_score,
  score: row.score,
  name: row.name,
  type: row.type,
  value: row.value,
});
