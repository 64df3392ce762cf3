import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";
import { FILE_KEYS, type KeyLimits } from "#keys/manage/restrict-keys.ts";

/** By audit_shown. */
const SHOWN_AFTER = "select from audit where audit.passport_id = file.passport_id and action = 'unhide' and audit.at >";

/** The last hide or show of a person in a file. */
export type FileVisibility = { passport_id: number; hidden: boolean; at: string; by: HiddenBy };
export type HiddenBy = "holder" | "operator" | "holder and operator";

export type VisibilityDecision = {
  passport_id: number;
  by: HiddenBy;
  at: string;
  decision: "hide" | "add" | "keep" | "list";
};

/**
 * Compares a file with what is stored:
 * - `hide`: the person is shown here, and hidden in the file.
 * - `add`: the person is hidden in both. Who hid the person may differ: holder, operator or both.
 * - `keep`: the person is hidden in the file, and not stored here.
 * - `list`: the person is hidden here, and was shown later in the file.
 *
 * Other people are left out. So are people who opted out, and people who were shown here later than
 * they were hidden in the file. Only a show by the holder or an operator counts, not one by an import.
 */
export async function listVisibilityDecisions(
  connection: Connection,
  visibility: readonly FileVisibility[],
): Promise<VisibilityDecision[]> {
  const { rows } = await connection.query<VisibilityDecision>(
    `select passport_id, by, to_json(file.at) #>> '{}' as at, decision
     from (
         select distinct on (passport_id) * from json_to_recordset($1)
           as line (passport_id bigint, hidden boolean, at timestamptz, by text)
         order by passport_id, at desc
       ) as file
       left join passport as stored using (passport_id)
       left join visibility_change as last using (passport_id),
       lateral (
         select case
           when file.hidden and exists (${SHOWN_AFTER} file.at) then null
           when file.hidden then case when stored.hidden is null then 'keep' when stored.hidden then 'add' else 'hide' end
           when stored.hidden and last.at <= file.at then 'list'
         end as decision
       ) as compared
     where decision is not null and not exists (select from opt_out where opt_out.passport_id = file.passport_id)
     order by passport_id`,
    [JSON.stringify(visibility)],
  );
  return rows;
}

/** An erasure in a file. */
export type FileErasure = {
  passport_id: number;
  state: string;
  received_at: string;
  was_hidden: boolean | null;
  withdrawn_at: string | null;
  completed_at: string | null;
};

/** An erasure that is open here, and what the file says about it. */
export type OpenErasure = {
  request_id: number;
  passport_id: number;
  /** `missing`: the file is older than the request. `unknown`: newer, but without the request. */
  in_file: "open" | "waiting" | "withdrawn" | "ended" | "missing" | "unknown";
  was_hidden: boolean | null;
};

/** Erasures that are open here and were verified, oldest first. The time of receipt identifies a request. */
export async function listOpenErasures(
  connection: Connection,
  erasures: readonly FileErasure[],
  fileAt: string,
): Promise<OpenErasure[]> {
  // Both sides may be large, and the lines have no index.
  await connection.query("set local enable_hashjoin = on");
  const { rows } = await connection.query<OpenErasure>(
    `select request.request_id, request.passport_id, file.was_hidden,
       case
         when file.state is null then case when request.received_at > $2 then 'missing' else 'unknown' end
         when file.completed_at is not null then 'ended'
         when file.withdrawn_at is not null then 'withdrawn'
         when file.state = 'waiting' then 'waiting'
         else 'open'
       end as in_file
     from holder_request as request
       left join json_to_recordset($1) as file (passport_id bigint, state text, received_at timestamptz,
         was_hidden boolean, withdrawn_at timestamptz, completed_at timestamptz)
       using (passport_id, received_at)
     where action = 'erase' and request.state in ('review', 'waiting') and message is not null
     order by request.request_id`,
    [JSON.stringify(erasures), fileAt],
  );
  await connection.query("set local enable_hashjoin = off");
  return rows;
}

export type UnsignedErasure = { passport_id: number; asked_at: string; is_stored: boolean };

/** Erasures that are open in the file, without their verified request here. Not if the person was shown later here. */
export async function listUnsignedErasures(
  connection: Connection,
  erasures: readonly FileErasure[],
): Promise<UnsignedErasure[]> {
  const { rows } = await connection.query<UnsignedErasure>(
    `select passport_id, to_json(min(received_at)) #>> '{}' as asked_at,
       exists (select from passport where passport.passport_id = file.passport_id) as is_stored
     from json_to_recordset($1) as file (passport_id bigint, received_at timestamptz, withdrawn_at timestamptz,
       completed_at timestamptz)
     where completed_at is null and withdrawn_at is null
       and not exists (select from opt_out where opt_out.passport_id = file.passport_id)
       and not exists (
         select from holder_request as request
         where request.passport_id = file.passport_id and request.received_at = file.received_at
           and request.state not in ('received', 'unverifiable')
       )
       and not exists (${SHOWN_AFTER} file.received_at)
     group by passport_id order by passport_id`,
    [JSON.stringify(erasures)],
  );
  return rows;
}

export async function insertUnsignedErasures(
  connection: Connection,
  erasures: readonly Pick<UnsignedErasure, "passport_id" | "asked_at">[],
): Promise<void> {
  await connection.query(
    `insert into unsigned_erasure (passport_id, asked_at)
     select passport_id, asked_at from json_to_recordset($1) as asked (passport_id bigint, asked_at timestamptz)
     on conflict do nothing`,
    [JSON.stringify(erasures)],
  );
}

/** Keys of the file that are not stored. */
export const listMissingKeys = (connection: Connection, keys: readonly KeyLimits[]): Promise<string[]> =>
  queryColumn(
    connection,
    `select key_id from ${FILE_KEYS} where not exists (select from api_key where api_key.key_id = file.key_id) order by 1`,
    [JSON.stringify(keys)],
  );

/** When the file was imported into this database; null if it was not. */
export const findImportedAt = (connection: Connection, fileId: string): Promise<Date | null> =>
  queryValue(connection, "select imported_at from protections_file where file_id = $1", [fileId]);

/** The counter becomes higher than that of the file. */
export async function insertImportedFile(connection: Connection, fileId: string, changes: number): Promise<void> {
  await connection.query(
    `insert into protections_file (file_id, imported_at) values ($1, now())
     on conflict (file_id) do update set imported_at = now()`,
    [fileId],
  );
  await connection.query("update protection_change set number = greatest(number, $1) + 1", [changes]);
}
