import type { OptOut } from "@credence/contract/person.ts";
import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";
import { deletePendingHides } from "./pending-hides.ts";

/** `origin`: whether the tombstones were made here, or by another server. */
export async function insertOptOuts(
  connection: Connection,
  optOuts: readonly OptOut[],
  origin: "here" | "other",
): Promise<void> {
  const keys = new Set(
    optOuts.flatMap(({ key, wallets = [] }) => (key === undefined || wallets.length === 0 ? [] : [key])),
  );
  await connection.query(
    `insert into opt_out_key (key, origin) select unnest($1::text[]), $2
     on conflict (key) do update set origin = excluded.origin, last_used_at = excluded.last_used_at
     where excluded.origin = 'here'`,
    [[...keys], origin],
  );
  const ids = optOuts.map((optOut) => optOut.passport_id);
  await connection.query(`insert into opt_out (passport_id) select unnest($1::bigint[]) on conflict do nothing`, [ids]);
  await deletePendingHides(connection, ids);
  const wallets = optOuts.flatMap(({ passport_id, key, wallets = [] }) =>
    key === undefined ? [] : wallets.map((hash) => ({ hash, key, passport_id })),
  );
  await connection.query(
    `insert into opt_out_wallet (hash, key, passport_id)
     select decode(hash, 'hex'), key, passport_id
     from json_to_recordset($1) as incoming (hash text, key text, passport_id bigint)
     on conflict do nothing`,
    [JSON.stringify(wallets)],
  );
}

/** Of these ids, those of people who opted out. */
export function listOptedOutIds(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn(connection, "select passport_id from opt_out where passport_id = any ($1)", [passportIds]);
}

/** The fingerprints of all keys with which opted-out wallets are hashed. */
export function listOptOutKeys(connection: Connection): Promise<string[]> {
  return queryColumn(connection, "select distinct key from opt_out_wallet");
}

/** Whether wallets opted out under one of these keys. */
export function hasOptedOutWallets(connection: Connection, keys: readonly string[]): Promise<boolean> {
  return queryValue(connection, "select exists (select from opt_out_wallet where key = any ($1))", [keys]);
}

export type MissingKey = {
  key: string;
  origin: "here" | "unknown";
  /** People whose tombstones count by id only without this key. */
  people: number;
  /** No tombstone was made here with a later key. */
  is_newest: boolean;
};

/** Keys of tombstones that were made here, or may have been, and are not among these. */
export async function listMissingKeys(connection: Connection, known: readonly string[]): Promise<MissingKey[]> {
  const { rows } = await connection.query<MissingKey>(
    `select key, origin, people, is_newest
     from (
         select key, origin, last_used_at, last_used_at = max(last_used_at) over () as is_newest
         from opt_out_key where origin in ('here', 'unknown')
       ) as made,
       lateral (
         select count(distinct passport_id)::int as people from opt_out_wallet where opt_out_wallet.key = made.key
       ) as counted
     where key <> all ($1) and people > 0 order by last_used_at desc`,
    [known],
  );
  return rows;
}

export type KeyOrigin = { key: string; origin: "here" | "unknown" | "other" | "lost"; people: number };

/** All keys of tombstones, the newest first. */
export async function listKeyOrigins(connection: Connection): Promise<KeyOrigin[]> {
  const { rows } = await connection.query<KeyOrigin>(
    `select key, origin, (select count(distinct passport_id)::int from opt_out_wallet where opt_out_wallet.key = made.key) as people
     from opt_out_key as made order by last_used_at desc, key`,
  );
  return rows;
}

/** The operator says that a key is another server's, or that nobody has it. False if it is neither known nor open. */
export async function updateKeyOrigin(connection: Connection, key: string, origin: "other" | "lost"): Promise<boolean> {
  const { rowCount } = await connection.query(
    "update opt_out_key set origin = $2 where key = $1 and origin in ('here', 'unknown')",
    [key, origin],
  );
  return rowCount === 1;
}

/** Of these hashes, those of opted-out wallets. */
export function listOptedOutHashes(connection: Connection, hashes: readonly string[]): Promise<string[]> {
  return queryColumn(
    connection,
    `select encode(hash, 'hex') from opt_out_wallet
     where hash = any (array (select decode(unnest($1::text[]), 'hex')))`,
    [hashes],
  );
}

/** Hashes of opted-out wallets that have not been searched for among the stored people. */
export function listUnappliedHashes(connection: Connection, keys: readonly string[]): Promise<string[]> {
  return queryColumn(
    connection,
    "select encode(hash, 'hex') from opt_out_wallet where key = any ($1) and not applied",
    [keys],
  );
}

/** Marks these keys' hashes as unapplied, so that an import with the keys searches for them. */
export async function updateKeysUnapplied(connection: Connection, keys: readonly string[]): Promise<void> {
  await connection.query("update opt_out_wallet set applied = false where key = any ($1) and applied", [keys]);
}

export async function updateHashesApplied(connection: Connection, hashes: readonly string[]): Promise<void> {
  await connection.query(
    `update opt_out_wallet set applied = true
     where hash = any (array (select decode(unnest($1::text[]), 'hex')))`,
    [hashes],
  );
}

/** Ordered by id. By the primary key and opt_out_wallet_passport. */
export async function listOptOutsAfter(connection: Connection, after: number, limit: number): Promise<OptOut[]> {
  const { rows } = await connection.query<{ passport_id: number; key: string | null; wallets: string[] | null }>(
    `select passport_id, key, array_agg(encode(hash, 'hex') order by hash) filter (where hash is not null) as wallets
     from (select passport_id from opt_out where passport_id > $1 order by passport_id limit $2) as opted_out
       left join opt_out_wallet using (passport_id)
     group by passport_id, key order by passport_id, key`,
    [after, limit],
  );
  return rows.map(({ passport_id, key, wallets }) => ({
    passport_id,
    ...(key !== null && { key }),
    ...(wallets !== null && { wallets }),
  }));
}

/** Deletes all tombstones and their keys. Only the demo does, whose people are invented. */
export async function deleteAllOptOuts(connection: Connection): Promise<void> {
  await connection.query("delete from opt_out_wallet");
  await connection.query("delete from opt_out");
  await connection.query("delete from opt_out_key");
}
