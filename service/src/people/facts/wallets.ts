import { copyRows } from "#core/database/copy.ts";
import { type Connection, queryColumn } from "#core/database/database.ts";

/** A wallet of a record, once per record. */
export type ListedWallet = { passport_id: number; address: string; is_main: boolean };

export async function insertWallets(connection: Connection, wallets: readonly ListedWallet[]): Promise<void> {
  await copyRows(connection, "person_wallet (address, passport_id, is_main)", wallets, (wallet) => [
    wallet.address,
    wallet.passport_id,
    wallet.is_main,
  ]);
}

export async function deleteWallets(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from person_wallet where passport_id = any ($1)", [passportIds]);
}

/** Deletes these addresses from all records. */
export async function deleteAddresses(connection: Connection, addresses: readonly string[]): Promise<void> {
  await connection.query("delete from person_wallet where address = any ($1)", [addresses]);
}

/** By person_wallet_passport. */
export async function listWallets(connection: Connection, passportIds: readonly number[]): Promise<ListedWallet[]> {
  const { rows } = await connection.query<ListedWallet>(
    "select passport_id, address, is_main from person_wallet where passport_id = any ($1) order by passport_id, address",
    [passportIds],
  );
  return rows;
}

/** The addresses that these records list. */
export const listAddresses = (connection: Connection, passportIds: readonly number[]): Promise<string[]> =>
  queryColumn(connection, "select distinct address from person_wallet where passport_id = any ($1) order by 1", [
    passportIds,
  ]);

/** Every record that lists one of these addresses. By the primary key. */
export async function listClaims(connection: Connection, addresses: readonly string[]): Promise<ListedWallet[]> {
  const { rows } = await connection.query<ListedWallet>(
    "select passport_id, address, is_main from person_wallet where address = any ($1) order by passport_id, address",
    [addresses],
  );
  return rows;
}

/** Addresses that may be another spelling of an address. By person_wallet_odd, whose condition this is. */
export const listOddAddresses = (connection: Connection): Promise<string[]> =>
  queryColumn(
    connection,
    `select distinct address from person_wallet
     where address !~ '^(0x[0-9a-f]+|[1-9A-HJ-NP-Za-km-z]{25,64}|[a-z0-9]+1[02-9ac-hj-np-z]{6,})$'
       or address ~ '^[0-9a-fA-F]{40}$'`,
  );

/** All addresses, in order, after one. By the primary key. */
export const listAddressesAfter = (connection: Connection, after: string, limit: number): Promise<string[]> =>
  queryColumn(
    connection,
    `select distinct address from (select address from person_wallet where address > $1 order by address limit $2) as next
     order by address`,
    [after, limit],
  );
