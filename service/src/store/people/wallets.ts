import { copyRows } from "#store/engine/copy.ts";
import type { Connection } from "#store/engine/database.ts";

export type ListedWallet = { passport_id: number; position: number; address: string };

/** Position 0 is the main wallet, the verified ones follow in their order. */
export async function insertWallets(connection: Connection, wallets: readonly ListedWallet[]): Promise<void> {
  await copyRows(connection, "passport_wallet (passport_id, position, address)", wallets, (wallet) => [
    wallet.passport_id,
    wallet.position,
    wallet.address,
  ]);
}

export async function deleteWallets(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from passport_wallet where passport_id = any ($1)", [passportIds]);
}

export async function listWallets(connection: Connection, passportIds: readonly number[]): Promise<ListedWallet[]> {
  const { rows } = await connection.query<ListedWallet>(
    "select passport_id, position, address from passport_wallet where passport_id = any ($1) order by passport_id, position",
    [passportIds],
  );
  return rows;
}

/**
 * The owners of the wallets of $1: the lowest passport_id among the records that list one and are not merged; failing those, the
 * survivor of a merged record that lists it, the lowest if there are several. The rule looks at all claims, so the outcome never
 * depends on who came first. A wallet whose owner is hidden or not stored has none. Served by passport_wallet_address and primary keys.
 */
const OWNER = `
  recursive claim as (
    select distinct address, passport_id from passport_wallet where address = any ($1)
  ),
  walk (claimant, at) as (
    select passport_id, passport_id from claim
    union
    select walk.claimant, passport.merged_into from walk join passport on passport.passport_id = walk.at
    where passport.merged_into is not null
  ),
  -- Where the chain of merges ends: at a record not merged further, or at one that is not here. A circle has no end.
  survivor as (
    select walk.claimant, walk.at from walk left join passport on passport.passport_id = walk.at
    where passport.merged_into is null
  ),
  entitled as (
    select distinct on (address) address, coalesce(survivor.at, claim.passport_id) as passport_id
    from claim join passport using (passport_id) left join survivor on survivor.claimant = claim.passport_id
    order by address, passport.merged or passport.merged_into is not null, 2
  ),
  owner as (
    select address, passport_id from entitled join passport using (passport_id) where not passport.hidden
  )`;

/** Works out anew whom these wallets lead to. */
export async function updateWalletOwners(connection: Connection, addresses: readonly string[]): Promise<void> {
  await connection.query(
    `with ${OWNER},
     dropped as (
       delete from wallet_owner where address = any ($1) and address not in (select address from owner)
     )
     insert into wallet_owner as stored (address, passport_id) select address, passport_id from owner order by address
     on conflict (address) do update set passport_id = excluded.passport_id
     where stored.passport_id <> excluded.passport_id`,
    [addresses],
  );
}

export type WalletOwner = { address: string; passport_id: number };

/** For wallets that nobody listed before. */
export async function insertWalletOwners(connection: Connection, owners: readonly WalletOwner[]): Promise<void> {
  await copyRows(connection, "wallet_owner (address, passport_id)", owners, (owner) => [
    owner.address,
    owner.passport_id,
  ]);
}

/** Of these addresses, those that have an owner already or are listed by several records. By passport_wallet_address. */
export async function listClaimedWallets(connection: Connection, addresses: readonly string[]): Promise<string[]> {
  const { rows } = await connection.query<{ address: string }>(
    `select address from wallet_owner where address = any ($1)
     union
     select address from passport_wallet where address = any ($1)
     group by address having min(passport_id) <> max(passport_id)`,
    [addresses],
  );
  return rows.map((row) => row.address);
}

/** Everyone who lists one of these wallets, and where. By passport_wallet_address. */
export async function listClaims(connection: Connection, addresses: readonly string[]): Promise<ListedWallet[]> {
  const { rows } = await connection.query<ListedWallet>(
    "select passport_id, position, address from passport_wallet where address = any ($1) order by passport_id, position",
    [addresses],
  );
  return rows;
}

/** `claimed_by` tells the first ten. */
export type ContestedWallet = {
  address: string;
  leads_to: number;
  claims: number;
  claimed_by: number[];
  /** Only one of them listed it before. */
  is_new: boolean;
};

/**
 * Those of these wallets that several records list, none of them merged away, these people among them. By
 * passport_wallet_address.
 */
export async function listContestedWallets(
  connection: Connection,
  addresses: readonly string[],
  newIds: readonly number[],
): Promise<ContestedWallet[]> {
  const { rows } = await connection.query<ContestedWallet>(
    `with claim as materialized (
       select distinct address, passport_id from passport_wallet where address = any ($1)
     )
     select address, min(passport_id) as leads_to, count(*) as claims,
       count(*) filter (where passport_id <> all ($2)) < 2 as is_new,
       to_json((array_agg(passport_id order by passport_id))[:10]) as claimed_by
     from claim join passport using (passport_id) where not merged and merged_into is null
     group by address
     having count(*) > 1 and count(*) filter (where passport_id = any ($2)) > 0
     order by address`,
    [addresses, newIds],
  );
  return rows;
}

/** Those of these wallets that do not lead where they should. */
export async function listMisledWallets(connection: Connection, addresses: readonly string[]): Promise<string[]> {
  const { rows } = await connection.query<{ address: string }>(
    `with ${OWNER}
     select address from owner full join (select * from wallet_owner where address = any ($1)) as stored using (address)
     where owner.passport_id is distinct from stored.passport_id`,
    [addresses],
  );
  return rows.map((row) => row.address);
}

// Wallets that lead somewhere although nobody lists them. One pass over both tables.
const STRAY = "not exists (select from passport_wallet where passport_wallet.address = wallet_owner.address)";

export async function listStrayOwners(connection: Connection, limit: number): Promise<number[]> {
  const { rows } = await connection.query<{ passport_id: number }>(
    `select passport_id from wallet_owner where ${STRAY} limit $1`,
    [limit],
  );
  return rows.map((row) => row.passport_id);
}

export async function deleteStrayOwners(connection: Connection): Promise<void> {
  await connection.query(`delete from wallet_owner where ${STRAY}`);
}
