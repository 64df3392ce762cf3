import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";

/** The number of changes that files of protections contain, and the time, by the database's clock. */
export async function findProtectionState(connection: Connection): Promise<{ changes: number; at: string }> {
  const { rows } = await connection.query<{ changes: number; at: string }>(
    "select number as changes, to_json(now()) #>> '{}' as at from protection_change",
  );
  return rows[0] as { changes: number; at: string };
}

/** A line of a file, as JSON. PostgreSQL formats it: times keep their microseconds. */
export type NumberedLine = { id: number; line: string };

/** The last hide or show of people, and who did it. Also of people who are not stored, as an earlier file said. */
export async function listVisibilityAfter(
  connection: Connection,
  after: number,
  limit: number,
): Promise<NumberedLine[]> {
  const { rows } = await connection.query<NumberedLine>(
    `select passport_id as id,
       json_build_object('visibility', json_build_object('passport_id', passport_id, 'hidden', hidden, 'at', at, 'by', by))::text as line
     from (
       (
         select passport_id, true as hidden, hidden_at as at,
           case when by_holder and by_operator then 'holder and operator' when by_holder then 'holder' else 'operator' end as by
         from kept_hide where passport_id > $1 order by passport_id limit $2
       )
       union all
       (
         select passport_id, hidden, at,
           case
             when not hidden and shown_by_holder then 'holder'
             when not hidden or holder_hide.passport_id is null then 'operator'
             when by_operator then 'holder and operator'
             else 'holder'
           end
         from visibility_change as last
           left join holder_hide using (passport_id)
           left join lateral (
             select request_id is not null as shown_by_holder from audit
             where audit.passport_id = last.passport_id and action = 'unhide' order by audit.at desc limit 1
           ) as shown on not hidden
         where passport_id > $1 and not exists (select from kept_hide where kept_hide.passport_id = last.passport_id)
         order by passport_id limit $2
       )
     ) as visibility
     order by passport_id limit $2`,
    [after, limit],
  );
  return rows;
}

/** Erasures that a worker has verified. */
export async function listErasuresAfter(connection: Connection, after: number, limit: number): Promise<NumberedLine[]> {
  const { rows } = await connection.query<NumberedLine>(
    `select request_id as id, json_build_object('erasure', json_build_object('passport_id', passport_id,
       'state', state, 'received_at', received_at, 'was_hidden', was_hidden, 'due_at', due_at,
       'withdrawn_at', withdrawn_at, 'completed_at', completed_at))::text as line
     from holder_request
     where request_id > $1 and action = 'erase' and message is not null and state not in ('received', 'unverifiable')
     order by request_id limit $2`,
    [after, limit],
  );
  return rows;
}

/** Erasures of an earlier file, without their signed request. */
export const listUnsignedLines = (connection: Connection): Promise<string[]> =>
  queryColumn(
    connection,
    `select json_build_object('erasure', json_build_object('passport_id', passport_id, 'state', 'review',
       'received_at', asked_at, 'was_hidden', null, 'due_at', null, 'withdrawn_at', null, 'completed_at', null))::text
     from unsigned_erasure order by passport_id`,
  );

/** Without hashes, labels and contacts. */
export const listKeyLimits = (connection: Connection): Promise<string[]> =>
  queryColumn(
    connection,
    `select json_build_object('key', json_build_object('key_id', key_id, 'revoked_at', revoked_at,
       'expires_at', expires_at))::text
     from api_key order by key_id`,
  );

/** Whether this database has written or imported the file. */
export const isKnownFile = (connection: Connection, fileId: string): Promise<boolean> =>
  queryValue(connection, "select exists (select from protections_file where file_id = $1)", [fileId]);

export async function insertWrittenFile(connection: Connection, fileId: string): Promise<void> {
  await connection.query("insert into protections_file (file_id, written_at) values ($1, now())", [fileId]);
}
