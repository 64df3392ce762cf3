import { type Connection, queryColumn } from "#core/database/database.ts";

/** People merged into these, directly or through others. By passport_merged_into. */
export async function listAbsorbedIds(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn<number>(
    connection,
    `with recursive absorbed as (
       select passport_id from passport where merged_into = any ($1)
       union
       select passport.passport_id from passport join absorbed on passport.merged_into = absorbed.passport_id
     )
     select passport_id from absorbed`,
    [passportIds],
  );
}

/** Of these people, those whose merge was made here, and not by a line of an import. By the primary key. */
export async function listMergedHere(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn<number>(
    connection,
    "select passport_id from passport where passport_id = any ($1) and merged_into is not null and not merged_by_line",
    [passportIds],
  );
}

/** Of these people, those that absorbed others. By passport_merged_into. */
export async function listAbsorbingIds(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn<number>(connection, "select distinct merged_into from passport where merged_into = any ($1)", [
    passportIds,
  ]);
}

/**
 * From $1 to the survivors, and null. The sub-select makes the planner use the primary key: by statistics
 * from before many merges, a scan of all merges looks cheaper.
 */
const WALK = `walk (passport_id) as (
  select unnest($1::bigint[])
  union
  select (select merged_into from passport where passport.passport_id = walk.passport_id)
  from walk where passport_id is not null
)`;

/**
 * The chains of merges from these people to their survivors: all ids, stored or not, the first
 * included.
 */
export async function listSurvivorIds(connection: Connection, passportIds: readonly number[]): Promise<number[]> {
  return queryColumn<number>(
    connection,
    `with recursive ${WALK} select passport_id from walk where passport_id is not null`,
    [passportIds],
  );
}

/**
 * All merges in the chains from these people to their survivors, by the merged id. By the primary
 * key.
 */
export async function listMerges(
  connection: Connection,
  passportIds: readonly number[],
): Promise<Map<number, number | null>> {
  const { rows } = await connection.query<{ passport_id: number; merged_into: number }>(
    `with recursive ${WALK}
     select passport_id, merged_into from walk join passport using (passport_id) where merged_into is not null`,
    [passportIds],
  );
  return new Map(rows.map((row) => [row.passport_id, row.merged_into]));
}

export type GainedWallet = { passport_id: number; address: string };

/**
 * Wallets that survivors gained by merges, in the order in which V1 shows them. Not those that only
 * hidden records list. A shown record behind a hidden one still leads to the survivor. By
 * passport_merged_into.
 */
export async function listGainedWallets(
  connection: Connection,
  passportIds: readonly number[],
): Promise<GainedWallet[]> {
  const { rows } = await connection.query<GainedWallet>(
    `with recursive absorbed (survivor, passport_id) as (
       select absorbed.merged_into, absorbed.passport_id
       from passport absorbed join passport survivor on survivor.passport_id = absorbed.merged_into
       where absorbed.merged_into = any ($1) and survivor.merged_into is null
       union
       select absorbed.survivor, passport.passport_id
       from absorbed join passport on passport.merged_into = absorbed.passport_id
     )
     select survivor as passport_id, address
     from absorbed join passport using (passport_id) join passport_wallet using (passport_id)
     where not passport.hidden
     order by survivor, absorbed.passport_id, position`,
    [passportIds],
  );
  return rows;
}
