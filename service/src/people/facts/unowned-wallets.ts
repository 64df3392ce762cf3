import { type Connection, queryColumn } from "#core/database/database.ts";

export type UnownedWallet = { passport_id: number; address: string };

/** Replaces those of these people. Returns all addresses concerned, whose owners are to be written. */
export async function replaceUnownedWallets(
  connection: Connection,
  passportIds: readonly number[],
  wallets: readonly UnownedWallet[],
): Promise<string[]> {
  const before = await queryColumn<string>(
    connection,
    "delete from unowned_wallet where passport_id = any ($1) returning address",
    [passportIds],
  );
  if (wallets.length > 0) {
    await connection.query(
      `insert into unowned_wallet (passport_id, address)
       select passport_id, address from json_to_recordset($1) as incoming (passport_id bigint, address text)`,
      [JSON.stringify(wallets)],
    );
  }
  return [...new Set([...before, ...wallets.map(({ address }) => address)])];
}

/** Of wallets that nobody may list any more. */
export async function deleteUnownedWallets(connection: Connection, addresses: readonly string[]): Promise<void> {
  await connection.query("delete from unowned_wallet where address = any ($1)", [addresses]);
}
