import type { Connection } from "./database.ts";

export type ListedWallet = { passport_id: number; position: number; address: string };

/** Position 0 is the main wallet, the verified ones follow in their order. */
export async function replaceWallets(
  connection: Connection,
  passportIds: readonly number[],
  wallets: readonly ListedWallet[],
): Promise<void> {
  await connection.query("delete from passport_wallet where passport_id = any ($1)", [passportIds]);
  await connection.query(
    `insert into passport_wallet (passport_id, position, address)
     select * from json_to_recordset($1) as given (passport_id bigint, position smallint, address text)`,
    [JSON.stringify(wallets)],
  );
}

export async function listWallets(connection: Connection, passportIds: readonly number[]): Promise<ListedWallet[]> {
  const { rows } = await connection.query<ListedWallet>(
    "select passport_id, position, address from passport_wallet where passport_id = any ($1) order by passport_id, position",
    [passportIds],
  );
  return rows;
}

/**
 * Works out anew whom these wallets lead to: the lowest passport_id among the records that list one and are not merged;
 * failing those, the survivor of a merged record that lists it, the lowest if there are several. The rule looks at all
 * claims, so the outcome never depends on who came first. Served by passport_wallet_address and primary keys.
 */
export async function refreshWalletOwners(connection: Connection, addresses: readonly string[]): Promise<void> {
  await connection.query(
    `with recursive claim as (
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
     owner as (
       select distinct on (address) address, coalesce(survivor.at, claim.passport_id) as passport_id
       from claim join passport using (passport_id) left join survivor on survivor.claimant = claim.passport_id
       order by address, passport.merged or passport.merged_into is not null, 2
     ),
     dropped as (
       delete from wallet_owner where address = any ($1) and address not in (select address from owner)
     )
     insert into wallet_owner as stored (address, passport_id) select address, passport_id from owner order by address
     on conflict (address) do update set passport_id = excluded.passport_id
     where stored.passport_id <> excluded.passport_id`,
    [addresses],
  );
}
