import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";
import { lock } from "#core/database/locks.ts";
import { notifyStandingChanged, wakeWorkers } from "#core/database/notices.ts";
import { epochTable, LISTED, namesTable } from "#list/epochs.ts";

/**
 * Removes people who are hidden, erased or merged now from every epoch at once, updates the wallets of
 * the others, and records their ids for an epoch that is being built. Until the transaction ends, no
 * epoch can be switched to or dropped. Wakes a worker to build a new epoch, as the total still counts
 * the removed people.
 */
export async function correctStanding(connection: Connection, passportIds: readonly number[]): Promise<void> {
  if (passportIds.length === 0) return;
  await lock(connection, "epochs");
  await connection.query(
    "insert into standing_correction select unnest($1::bigint[]) as passport_id order by 1 on conflict do nothing",
    [passportIds],
  );
  for (const epoch of await listEpochs(connection)) await correctEpoch(connection, epoch, passportIds);
  await notifyStandingChanged(connection);
  await wakeWorkers(connection);
}

const listEpochs = (connection: Connection): Promise<number[]> =>
  queryColumn<number>(connection, "select epoch from standing_epoch");

/** True if people were removed from the current epoch: its total still counts them. */
export async function hasCorrections(connection: Connection): Promise<boolean> {
  return (await queryValue<boolean>(connection, "select exists (select from standing_correction) as found")) ?? false;
}

/**
 * Applies the corrections that were recorded while an epoch was built. Removed people stay recorded, as
 * the total of the new epoch counts them. Deletes what the earlier epochs kept of people removed from
 * them. Until the transaction ends, no other transaction can correct an epoch.
 */
export async function settleCorrections(connection: Connection, epoch: number): Promise<void> {
  await lock(connection, "epochs");
  const passportIds = await queryColumn<number>(connection, "select passport_id from standing_correction");
  const removed = await correctEpoch(connection, epoch, passportIds);
  await connection.query("delete from standing_correction where passport_id not in (select unnest($1::bigint[]))", [
    removed,
  ]);
  for (const earlier of await listEpochs(connection)) await deleteRemoved(connection, earlier);
}

/** Returns the ids of removed people. */
async function correctEpoch(connection: Connection, epoch: number, passportIds: readonly number[]): Promise<number[]> {
  const removed = await removePeople(connection, epoch, passportIds);
  await correctWallets(connection, epoch, passportIds);
  return removed;
}

/**
 * Empties the rows of people that do not belong in the standing, and returns their ids. A row keeps its
 * rank and folded name until the next build, and the names and keywords tables stay unchanged: otherwise
 * later matches of a keyword would move up, and a client between two pages would miss a person.
 */
const removePeople = (connection: Connection, epoch: number, passportIds: readonly number[]): Promise<number[]> =>
  queryColumn<number>(
    connection,
    `with removed as (
       select rank, passport_id from ${epochTable(epoch)} as listed
       where passport_id = any ($1)
         and not exists (select from ${LISTED} and person.passport_id = listed.passport_id)
     ),
     emptied as (
       update ${epochTable(epoch)} as listed set passport_id = null, score = null, body = null
       from removed where listed.rank = removed.rank
     )
     select passport_id from removed`,
    [passportIds],
  );

/** Deletes the rows and names that removed people left in an epoch. By the index on passport_id. */
async function deleteRemoved(connection: Connection, epoch: number): Promise<void> {
  const names = namesTable(epoch);
  await connection.query(
    `with removed as (
       delete from ${epochTable(epoch)} where passport_id is null returning rank, folded_name
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
     )
     delete from ${names} as names using gone
     where names.folded_name = gone.folded_name and names.people = gone.people`,
  );
}

/**
 * Gives people in an epoch the wallets of their documents. All other fields stay as the epoch was
 * built, because it is sorted by its scores.
 */
async function correctWallets(connection: Connection, epoch: number, passportIds: readonly number[]): Promise<void> {
  const { rows } = await connection.query<{ passport_id: number; listed: string; current: string }>(
    `select passport_id, listed.body as listed, passport_document.body as current
     from ${epochTable(epoch)} as listed join passport_document using (passport_id)
     where passport_id = any ($1) and listed.body <> passport_document.body`,
    [passportIds],
  );
  await connection.query(
    `update ${epochTable(epoch)} as listed set body = corrected.body
     from unnest($1::bigint[], $2::text[]) as corrected (passport_id, body)
     where listed.passport_id = corrected.passport_id and listed.body <> corrected.body`,
    [rows.map((row) => row.passport_id), rows.map((row) => replaceWallets(row.listed, row.current))],
  );
}

function replaceWallets(listed: string, current: string): string {
  const { main_wallet, verified_wallets } = JSON.parse(current);
  return JSON.stringify({ ...JSON.parse(listed, keepNumber), main_wallet, verified_wallets });
}

/** V1 prints no exponents, so numbers keep their text. */
const keepNumber = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value;
