import { notifyListChanged } from "#store/engine/change-notices.ts";
import type { Connection } from "#store/engine/database.ts";
import { lock } from "#store/engine/locks.ts";
import { epochTable, LISTED, namesTable } from "./epochs.ts";

/**
 * Brings the rows of these people in line with their facts and documents at once, in every epoch there is, and notes them for
 * the one that is being built. Holds off whoever would switch or drop an epoch until the transaction ends.
 */
export async function correctStanding(connection: Connection, passportIds: readonly number[]): Promise<void> {
  if (passportIds.length === 0) return;
  await lock(connection, "epochs");
  await connection.query(
    "insert into standing_correction select unnest($1::bigint[]) as passport_id order by 1 on conflict do nothing",
    [passportIds],
  );
  const { rows } = await connection.query<{ epoch: number }>("select epoch from standing_epoch");
  for (const { epoch } of rows) await correctEpoch(connection, epoch, passportIds);
  await notifyListChanged(connection);
}

/** True when rows of the list were taken out or changed since it was built: its total still counts those who left. */
export async function hasCorrections(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ found: boolean }>(
    "select exists (select from standing_correction) as found",
  );
  return rows[0]?.found ?? false;
}

/**
 * Corrects a new epoch where that was asked for while it was being built. Whoever is taken out of it stays noted, since its
 * total counts them. From here until the transaction ends nobody else corrects anything.
 */
export async function settleCorrections(connection: Connection, epoch: number): Promise<void> {
  await lock(connection, "epochs");
  const { rows } = await connection.query<{ passport_id: number }>("select passport_id from standing_correction");
  const removed = await correctEpoch(
    connection,
    epoch,
    rows.map((row) => row.passport_id),
  );
  await connection.query("delete from standing_correction where passport_id not in (select unnest($1::bigint[]))", [
    removed,
  ]);
}

type RemovedRow = { passport_id: number; rank: number; folded_name: string | null };

/** Removes a person from the names. Keywords are shared by thousands and say nothing of one person: their totals stay until the next build. */
async function forgetName(connection: Connection, epoch: number, { rank, folded_name }: RemovedRow): Promise<void> {
  if (folded_name === null) return;
  const names = namesTable(epoch);
  await connection.query(
    `update ${names} set people = people - 1, ranks = array_remove(ranks, $2::integer) where folded_name = $1`,
    [folded_name, rank],
  );
  await connection.query(`delete from ${names} where folded_name = $1 and people = 0`, [folded_name]);
}

/** Takes out who is not to be listed, and shows the others as their documents do. Returns who was taken out. */
async function correctEpoch(connection: Connection, epoch: number, passportIds: readonly number[]): Promise<number[]> {
  const { rows } = await connection.query<RemovedRow>(
    `delete from ${epochTable(epoch)} as listed
     where passport_id = any ($1)
       and not exists (select from passport where passport.passport_id = listed.passport_id and ${LISTED})
     returning passport_id, rank, folded_name`,
    [passportIds],
  );
  for (const row of rows) await forgetName(connection, epoch, row);
  await connection.query(
    `update ${epochTable(epoch)} as listed set body = passport_document.body from passport_document
     where listed.passport_id = any ($1) and passport_document.passport_id = listed.passport_id
       and listed.body <> passport_document.body`,
    [passportIds],
  );
  return rows.map((row) => row.passport_id);
}
