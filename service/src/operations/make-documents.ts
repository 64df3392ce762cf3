import type { PassportDetail } from "@credence/contract/passport.ts";
import { presentCredentials } from "#present/credentials.ts";
import { presentPassport } from "#present/passport.ts";
import { PRESENTER_VERSION } from "#present/version.ts";
import { listCredentials } from "#store/credentials.ts";
import type { Connection } from "#store/database.ts";
import type { StoredDocuments } from "#store/documents.ts";
import { listGainedWallets } from "#store/merges.ts";
import { listPassports, type StoredPassport } from "#store/passports.ts";
import { type ListedSocial, listSocials } from "#store/socials.ts";
import { listWallets } from "#store/wallets.ts";

/** The documents these people should have, made from their facts alone. Who is hidden or not here has none. */
export async function makeDocuments(connection: Connection, ids: readonly number[]): Promise<StoredDocuments[]> {
  const passports = await listPassports(connection, ids);
  const wallets = groupByPerson(await listWallets(connection, ids));
  const gained = groupByPerson(await listGainedWallets(connection, ids));
  const socials = groupByPerson(await listSocials(connection, ids));
  const credentials = groupByPerson(await listCredentials(connection, ids));

  return passports
    .filter((passport) => !passport.hidden)
    .map((passport) => {
      const id = passport.passport_id;
      const listed = wallets(id);
      const own = listed.filter((wallet) => wallet.position > 0).map((wallet) => wallet.address);
      const detail = passportDetail(passport, {
        main: listed.find((wallet) => wallet.position === 0)?.address ?? null,
        verified: withGained(
          own,
          gained(id).map((wallet) => wallet.address),
        ),
        socials: socials(id),
      });
      const { body: credentials_body, etag: credentials_etag } = presentCredentials(credentials(id));
      return {
        passport_id: id,
        ...presentPassport(detail),
        credentials_body,
        credentials_etag,
        presenter: PRESENTER_VERSION,
      };
    });
}

function passportDetail(
  passport: StoredPassport,
  parts: { main: string | null; verified: string[]; socials: ListedSocial[] },
): PassportDetail {
  const { bio, display_name, location, tags, merged, merged_into, ...facts } = passport;
  return {
    ...facts,
    main_wallet: parts.main,
    passport_profile: { bio, display_name, location, tags },
    verified_wallets: parts.verified,
    merged: merged || merged_into !== null,
    passport_socials: parts.socials,
  };
}

/** A record's own wallets as it lists them, then those it gained by merges, each once. */
function withGained(own: readonly string[], gained: readonly string[]): string[] {
  return [...own, ...new Set(gained).difference(new Set(own))];
}

function groupByPerson<Row extends { passport_id: number }>(rows: readonly Row[]): (id: number) => Row[] {
  const groups = Map.groupBy(rows, (row) => row.passport_id);
  return (id) => groups.get(id) ?? [];
}
