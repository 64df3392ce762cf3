import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";
import { lock } from "#core/database/locks.ts";
import { notifyStandingChanged, wakeWorkers } from "#core/database/notices.ts";
import { epochTable, LISTED, namesTable } from "#list/epochs.ts";

/**
 * Removes people who are hidden, erased or merged now from every epoch at once, updates the others,
 * and records their ids for an epoch that is being built. Until the transaction ends, no epoch can
 * be switched to or dropped. Wakes a worker to build a new epoch, as the total still counts the
 * removed people.
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
  await notifyStandingChanged(connection);
  await wakeWorkers(connection);
}

/** True if people were removed from the current epoch: its total still counts them. */
export async function hasCorrections(connection: Connection): Promise<boolean> {
  return (await queryValue<boolean>(connection, "select exists (select from standing_correction) as found")) ?? false;
}

/**
 * Applies the corrections that were recorded while an epoch was built. Removed people stay
 * recorded, as the total of the new epoch counts them. Until the transaction ends, no other
 * transaction can correct an epoch.
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

/**
 * Removes people that do not belong in the standing, and updates the bodies of the others. Returns
 * the removed ids. The totals of heavy keywords stay until the next build.
 */
async function correctEpoch(connection: Connection, epoch: number, passportIds: readonly number[]): Promise<number[]> {
  const names = namesTable(epoch);
  const removed = await queryColumn<number>(
    connection,
    `with removed as (
       delete from ${epochTable(epoch)} as listed
       where passport_id = any ($1)
         and not exists (select from passport where passport.passport_id = listed.passport_id and ${LISTED})
       returning passport_id, rank, folded_name
     ),
     gone as (
       select folded_name, count(*)::integer as people, array_agg(rank) as ranks
       from removed where folded_name is not null group by folded_name
     ),
     renamed as (
       update ${names} as names set people = names.people - gone.people,
         ranks = array(select rank from unnest(names.ranks) with ordinality as kept (rank, place)
                       where rank <> all (gone.ranks) order by place)
       from gone where names.folded_name = gone.folded_name and names.people > gone.people
     ),
     emptied as (
       delete from ${names} as names using gone
       where names.folded_name = gone.folded_name and names.people = gone.people
     )
     select passport_id from removed`,
    [passportIds],
  );
  await connection.query(
    `update ${epochTable(epoch)} as listed set body = passport_document.body from passport_document
     where listed.passport_id = any ($1) and passport_document.passport_id = listed.passport_id
       and listed.body <> passport_document.body`,
    [passportIds],
  );
  return removed;
}
