import { copyRows } from "#core/database/copy.ts";
import { type Connection, queryColumn } from "#core/database/database.ts";

export type ListedWallet = { passport_id: number; position: number; address: string };

/** Position 0 is the main wallet; the verified wallets follow in their order. */
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
 * Every record that lists one of these addresses, with its position. By passport_wallet_address.
 */
export async function listClaims(connection: Connection, addresses: readonly string[]): Promise<ListedWallet[]> {
  const { rows } = await connection.query<ListedWallet>(
    "select passport_id, position, address from passport_wallet where address = any ($1) order by passport_id, position",
    [addresses],
  );
  return rows;
}

/** People who list a verified wallet more than once. Scans the table. */
export const listRepeatedWallets = (connection: Connection): Promise<number[]> =>
  queryColumn(
    connection,
    `select distinct passport_id from passport_wallet where position > 0
     group by passport_id, address having count(*) > 1 order by passport_id`,
  );
