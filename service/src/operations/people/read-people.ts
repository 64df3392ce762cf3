import type { Credential } from "@credence/contract/credential.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import { presentProfile, presentSocial } from "#present/passport.ts";
import type { Connection } from "#store/engine/database.ts";
import { type ListedCredential, listCredentials } from "#store/people/credentials.ts";
import { listPassports, type StoredPassport } from "#store/people/passports.ts";
import { type ListedSocial, listSocials } from "#store/people/socials.ts";
import { type ListedWallet, listWallets } from "#store/people/wallets.ts";

/** A person's own record as their facts say: with the wallets they list themselves, and with all that V1 does not show. */
export type HeldPassport = { passport: PassportDetail; operator: { hidden: boolean; merged_into: number | null } };
export type HeldPerson = HeldPassport & { credentials: Credential[] };

/** The facts of these people, put together again. In order of their id. */
export async function readPeople(connection: Connection, ids: readonly number[]): Promise<HeldPerson[]> {
  const people = await readPassports(connection, ids);
  const credentials = groupByPerson(await listCredentials(connection, ids));
  return people.map((held) => ({ ...held, credentials: credentials(held.passport.passport_id).map(credentialOf) }));
}

/** The same without their credentials. */
export async function readPassports(connection: Connection, ids: readonly number[]): Promise<HeldPassport[]> {
  const passports = await listPassports(connection, ids);
  const wallets = groupByPerson(await listWallets(connection, ids));
  const socials = groupByPerson(await listSocials(connection, ids));
  return passports.map((stored) => {
    const { passport_id, hidden, merged_into } = stored;
    return {
      passport: passportOf(stored, wallets(passport_id), socials(passport_id)),
      operator: { hidden, merged_into },
    };
  });
}

/** Rows by person. */
export function groupByPerson<Row extends { passport_id: number }>(rows: readonly Row[]): (id: number) => Row[] {
  const groups = Map.groupBy(rows, (row) => row.passport_id);
  return (id) => groups.get(id) ?? [];
}

const passportOf = (stored: StoredPassport, wallets: ListedWallet[], socials: ListedSocial[]): PassportDetail => ({
  activity_score: stored.activity_score,
  identity_score: stored.identity_score,
  skills_score: stored.skills_score,
  score: stored.score,
  calculating_score: stored.calculating_score,
  connections_count: stored.connections_count,
  human_checkmark: stored.human_checkmark,
  last_calculated_at: stored.last_calculated_at,
  main_wallet: wallets.find((wallet) => wallet.position === 0)?.address ?? null,
  passport_id: stored.passport_id,
  passport_profile: presentProfile(stored),
  verified_wallets: wallets.filter((wallet) => wallet.position > 0).map((wallet) => wallet.address),
  merged: stored.merged,
  passport_socials: socials.map(presentSocial),
});

const credentialOf = (credential: ListedCredential): Credential => ({
  id: credential.id,
  earned_at: credential.earned_at,
  category: credential.category,
  last_calculated_at: credential.last_calculated_at,
  max_score: credential.max_score,
  score: credential.score,
  name: credential.name,
  type: credential.type,
  value: credential.value,
});
