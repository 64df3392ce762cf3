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
 * Whom the wallets of $1 lead to: the lowest passport_id among the records that list one and are not merged; failing those,
 * the survivor of a merged record that lists it, the lowest if there are several. The rule looks at all claims, so the
 * outcome never depends on who came first. Served by passport_wallet_address and primary keys.
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
  owner as (
    select distinct on (address) address, coalesce(survivor.at, claim.passport_id) as passport_id
    from claim join passport using (passport_id) left join survivor on survivor.claimant = claim.passport_id
    order by address, passport.merged or passport.merged_into is not null, 2
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
