import { type Connection, queryColumn } from "#core/database/database.ts";
import { fingerprintOf, hashWallet, optOutForm } from "./opt-out.ts";

// People who were removed because somebody else, who opted out, has their main wallet. They may come
// back with another main wallet.

/** Records people whom this server has removed. Those who opted out themselves have a tombstone instead. */
export async function recordRemovedHere(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query(
    `insert into removed_with_another (passport_id, origin)
     select passport_id, 'here' from unnest($1::bigint[]) as removed (passport_id)
     where not exists (select from opt_out where opt_out.passport_id = removed.passport_id)
     on conflict (passport_id) do update set origin = excluded.origin`,
    [passportIds],
  );
}

/** `main_wallet`: what the person had here, if a record was stored. */
export type RemovedPerson = { passport_id: number; main_wallet: string | null };

/**
 * Records people whom a snapshot names, with the hash of the main wallet that they had here. Who had
 * none, or without a key, is kept out by id; a second import of the same snapshot changes nothing.
 */
export async function recordRemovedElsewhere(
  connection: Connection,
  people: readonly RemovedPerson[],
  key: string | undefined,
): Promise<void> {
  const rows = people.map(({ passport_id, main_wallet }) => {
    if (main_wallet === null || key === undefined) return { passport_id };
    return { passport_id, hash: hashWallet(key, optOutForm(main_wallet)), key: fingerprintOf(key) };
  });
  await connection.query(
    `insert into removed_with_another as stored (passport_id, origin, hash, key)
     select passport_id, 'import', decode(hash, 'hex'), key
     from json_to_recordset($1) as named (passport_id bigint, hash text, key text)
     where not exists (select from opt_out where opt_out.passport_id = named.passport_id)
     on conflict (passport_id) do update set hash = excluded.hash, key = excluded.key where excluded.hash is not null`,
    [JSON.stringify(rows)],
  );
}

type KeptOut = { passport_id: number; hash: string | null; key: string | null };

/**
 * Of these people, the ids of those whom no import may bring back, as far as their main wallet is the same.
 * The publisher of a mirror may bring back those who had left it.
 */
export async function findKeptOut(
  connection: Connection,
  keys: readonly string[],
  people: readonly RemovedPerson[],
  isFromPublisher: boolean,
): Promise<Set<number>> {
  const { rows } = await connection.query<KeptOut>(
    `select passport_id, encode(hash, 'hex') as hash, key from removed_with_another
     where passport_id = any ($1) and origin = any ($2)`,
    [people.map(({ passport_id }) => passport_id), isFromPublisher ? ["import"] : ["import", "mirror"]],
  );
  const walletOf = new Map(people.map(({ passport_id, main_wallet }) => [passport_id, main_wallet]));
  const isKeptOut = ({ passport_id, hash, key }: KeptOut): boolean => {
    const ours = keys.find((known) => fingerprintOf(known) === key);
    if (hash === null || ours === undefined) return true;
    const address = walletOf.get(passport_id) ?? null;
    return address !== null && hashWallet(ours, optOutForm(address)) === hash;
  };
  return new Set(rows.filter(isKeptOut).map(({ passport_id }) => passport_id));
}

/** For an export: those who are not stored again, and not those who left while this server was a mirror. */
export function listRemovedAfter(connection: Connection, after: number, limit: number): Promise<number[]> {
  return queryColumn(
    connection,
    `select passport_id from removed_with_another as removed
     where passport_id > $1 and origin in ('here', 'import')
       and not exists (select from passport where passport.passport_id = removed.passport_id)
     order by passport_id limit $2`,
    [after, limit],
  );
}

export type KeptOutPerson = { passport_id: number; by: "id" | "main wallet"; origin: "import" | "mirror" };

/** People whom imports keep out until the operator decides. */
export async function listKeptOut(connection: Connection, limit: number): Promise<KeptOutPerson[]> {
  const { rows } = await connection.query<KeptOutPerson>(
    `select passport_id, case when hash is null then 'id' else 'main wallet' end as by, origin
     from removed_with_another where origin in ('import', 'mirror') order by passport_id limit $1`,
    [limit],
  );
  return rows;
}

/** Returns false if no import keeps the person out. */
export async function deleteKeptOut(connection: Connection, passportId: number): Promise<boolean> {
  const { rowCount } = await connection.query(
    "delete from removed_with_another where passport_id = $1 and origin in ('import', 'mirror')",
    [passportId],
  );
  return rowCount === 1;
}

/** People who left the publisher of this mirror. After a take-over, imports skip them. */
export async function insertRemovedOnMirror(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query(
    `insert into removed_with_another (passport_id, origin) select unnest($1::bigint[]), 'mirror'
     on conflict (passport_id) do update set origin = 'mirror', hash = null, key = null`,
    [passportIds],
  );
}

/** Forgets that people left whom the import of this session has seen. */
export async function deleteSeenRemovedOnMirror(connection: Connection): Promise<void> {
  await connection.query(
    `delete from removed_with_another as removed using pg_temp.seen_person as seen
     where seen.passport_id = removed.passport_id and origin = 'mirror'`,
  );
}
