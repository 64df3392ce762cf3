import { copyRows } from "#core/database/copy.ts";
import type { Connection } from "#core/database/database.ts";

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
