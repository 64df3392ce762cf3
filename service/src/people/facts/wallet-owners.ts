import { copyRows } from "#core/database/copy.ts";
import { type Connection, queryColumn } from "#core/database/database.ts";

/**
 * The rule for the owners of the addresses in $1: the lowest passport_id among the shown records that list
 * the address, unmerged ones first. Where only hidden unmerged records list it, a merged one does not own
 * it: a hide must not bring up the person's own old record. A person is shown exactly if they have a
 * document. The rule looks at all claims, so the result does not depend on the order of imports. By primary
 * keys.
 */
const OWNER = `
  owner as (
    select address, passport_id from (
      select distinct on (address) address, passport_id, passport_document.passport_id is not null as is_shown
      from person_wallet join person using (passport_id) left join passport_document using (passport_id)
      where address = any ($1)
      order by address, merged, passport_document.passport_id is null, passport_id
    ) as best
    where is_shown
  )`;

/** Applies the rule to these addresses. */
export async function updateWalletOwners(connection: Connection, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
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

/** A wallet that a record lists. `isShown`: hidden records own none. */
export type Claim = { address: string; passport_id: number; isShown: boolean };

/**
 * Writes the owners of wallets after facts and documents are written. Most new wallets have one claim, whose
 * record owns them. All other wallets, and those in `addresses`, go through the rule. Returns the wallets that
 * several records claim.
 */
export async function writeWalletOwners(
  connection: Connection,
  claims: readonly Claim[],
  addresses: Iterable<string>,
): Promise<ContestedWallet[]> {
  const single = new Map<string, Claim>();
  const unsettled = new Set(addresses);
  for (const claim of claims) {
    if (!claim.isShown || single.has(claim.address)) unsettled.add(claim.address);
    else single.set(claim.address, claim);
  }
  const claimed = new Set(claims.map((claim) => claim.address));
  for (const address of await listClaimedWallets(connection, [...claimed])) unsettled.add(address);
  await copyRows(
    connection,
    "wallet_owner (address, passport_id)",
    [...single.values()].filter(({ address }) => !unsettled.has(address)),
    (owner) => [owner.address, owner.passport_id],
  );
  await updateWalletOwners(connection, [...unsettled]);
  if (claims.length === 0 || unsettled.size === 0) return [];
  return listContestedWallets(connection, [...unsettled], [...new Set(claims.map((claim) => claim.passport_id))]);
}

/** Of these addresses, those with an owner, and those that several records list. By primary keys. */
const listClaimedWallets = (connection: Connection, addresses: readonly string[]): Promise<string[]> =>
  queryColumn(
    connection,
    `select address from wallet_owner where address = any ($1)
     union
     select address from person_wallet where address = any ($1) group by address having count(*) > 1`,
    [addresses],
  );

/** `claimed_by` has the first ten claims. */
export type ContestedWallet = {
  address: string;
  leads_to: number;
  claims: number;
  claimed_by: number[];
  /** At most one of the records listed it before. */
  is_new: boolean;
};

/** Of these addresses, those that several shown, unmerged records list, at least one of `newIds` among them. */
async function listContestedWallets(
  connection: Connection,
  addresses: readonly string[],
  newIds: readonly number[],
): Promise<ContestedWallet[]> {
  const { rows } = await connection.query<ContestedWallet>(
    `select address, min(passport_id) as leads_to, count(*) as claims,
       count(*) filter (where passport_id <> all ($2)) < 2 as is_new,
       to_json((array_agg(passport_id order by passport_id))[:10]) as claimed_by
     from person_wallet join person using (passport_id) join passport_document using (passport_id)
     where address = any ($1) and not merged
     group by address
     having count(*) > 1 and count(*) filter (where passport_id = any ($2)) > 0
     order by address`,
    [addresses, newIds],
  );
  return rows;
}

/** Of these addresses, those whose stored owner differs from the rule. */
export const listWrongOwners = (connection: Connection, addresses: readonly string[]): Promise<string[]> =>
  queryColumn(
    connection,
    `with ${OWNER}
     select address from owner full join (select * from wallet_owner where address = any ($1)) as stored using (address)
     where owner.passport_id is distinct from stored.passport_id`,
    [addresses],
  );

// Owners of addresses that no record lists. One scan of both tables.
const UNLISTED = "not exists (select from person_wallet where person_wallet.address = wallet_owner.address)";

export const listUnlistedOwners = (connection: Connection, limit: number): Promise<number[]> =>
  queryColumn(connection, `select passport_id from wallet_owner where ${UNLISTED} limit $1`, [limit]);

export async function deleteUnlistedOwners(connection: Connection): Promise<void> {
  await connection.query(`delete from wallet_owner where ${UNLISTED}`);
}
