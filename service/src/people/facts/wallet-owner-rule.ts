import { copyRows } from "#core/database/copy.ts";
import { type Connection, queryColumn } from "#core/database/database.ts";

/**
 * The rule for the owners of the addresses in $1: the lowest passport_id among the shown records that list
 * the address, unmerged ones first. Where only hidden unmerged records list it, a merged one does not own
 * it: a hide must not bring up the person's own old record. The rule looks at all claims, so the result does
 * not depend on the order of imports. By passport_wallet_address and the primary key.
 */
const OWNER = `
  owner as (
    select address, passport_id from (
      select distinct on (address) address, passport_id, hidden
      from passport_wallet join passport using (passport_id)
      where address = any ($1)
      order by address, merged, hidden, passport_id
    ) as best
    where not hidden
  )`;

/** Applies the rule to these addresses. */
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

/** For addresses without an owner that one record lists. */
export async function insertWalletOwners(connection: Connection, owners: readonly WalletOwner[]): Promise<void> {
  await copyRows(connection, "wallet_owner (address, passport_id)", owners, (owner) => [
    owner.address,
    owner.passport_id,
  ]);
}

/** Of these addresses, those with an owner, and those that several records list. By passport_wallet_address. */
export async function listClaimedWallets(connection: Connection, addresses: readonly string[]): Promise<string[]> {
  return queryColumn<string>(
    connection,
    `select address from wallet_owner where address = any ($1)
     union
     select address from passport_wallet where address = any ($1)
     group by address having min(passport_id) <> max(passport_id)`,
    [addresses],
  );
}

/** `claimed_by` has the first ten claims. */
export type ContestedWallet = {
  address: string;
  leads_to: number;
  claims: number;
  claimed_by: number[];
  /** At most one of the records listed it before. */
  is_new: boolean;
};

/**
 * Of these addresses, those that several records list that are neither merged nor hidden, at least one of
 * `newIds` among them.
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
     from claim join passport using (passport_id) where not merged and not hidden
     group by address
     having count(*) > 1 and count(*) filter (where passport_id = any ($2)) > 0
     order by address`,
    [addresses, newIds],
  );
  return rows;
}

/** Of these addresses, those whose stored owner differs from the rule. */
export async function listWrongOwners(connection: Connection, addresses: readonly string[]): Promise<string[]> {
  return queryColumn<string>(
    connection,
    `with ${OWNER}
     select address from owner full join (select * from wallet_owner where address = any ($1)) as stored using (address)
     where owner.passport_id is distinct from stored.passport_id`,
    [addresses],
  );
}

// Owners of addresses that no record lists. One scan of both tables.
const UNLISTED = "not exists (select from passport_wallet where passport_wallet.address = wallet_owner.address)";

export async function listUnlistedOwners(connection: Connection, limit: number): Promise<number[]> {
  return queryColumn<number>(connection, `select passport_id from wallet_owner where ${UNLISTED} limit $1`, [limit]);
}

export async function deleteUnlistedOwners(connection: Connection): Promise<void> {
  await connection.query(`delete from wallet_owner where ${UNLISTED}`);
}
