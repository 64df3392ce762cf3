import { CARRIED_FIELDS, type CarriedField, type CarriedFields } from "@credence/contract/carried.ts";
import { type Connection, queryValue } from "#core/database/database.ts";

/** `presentedTo`: people up to this id are presented with the fields; null if all people are. */
export type CarriedState = { carried: CarriedFields; presentedTo: number | null };

export async function findCarriedState(connection: Connection): Promise<CarriedState> {
  const { rows } = await connection.query<{ fields: CarriedField[]; presented_to: number | null }>(
    "select fields, presented_to from carried_fields",
  );
  return { carried: new Set(rows[0]?.fields), presentedTo: rows[0]?.presented_to ?? null };
}

/** Under the lock of people, or in a read-only snapshot: the same for all that is read with it. */
export async function findCarriedFields(connection: Connection): Promise<CarriedFields> {
  return new Set(await queryValue<CarriedField[]>(connection, "select fields from carried_fields"));
}

export async function updateCarriedFields(connection: Connection, carried: CarriedFields): Promise<void> {
  const fields = CARRIED_FIELDS.filter((field) => carried.has(field));
  await connection.query("update carried_fields set fields = $1, presented_to = 0", [fields]);
}

/** Whether a restored backup may have brought fields back, and nobody has decided yet. */
export const areFieldsDoubtful = (connection: Connection): Promise<boolean> =>
  queryValue(connection, "select is_doubtful from carried_fields");

export async function updateDoubtful(connection: Connection, isDoubtful: boolean): Promise<void> {
  await connection.query("update carried_fields set is_doubtful = $1 where is_doubtful <> $1", [isDoubtful]);
}

export async function updatePresentedTo(connection: Connection, passportId: number | null): Promise<void> {
  await connection.query("update carried_fields set presented_to = $1", [passportId]);
}

/** Deletes these people's values of fields that are not carried. */
export async function deleteUncarriedValues(
  connection: Connection,
  passportIds: readonly number[],
  carried: CarriedFields,
): Promise<void> {
  const keeps = CARRIED_FIELDS.map((field) => carried.has(field));
  await connection.query(
    `update passport set verified = case when $2 then verified end, name = case when $3 then name end,
       image_url = case when $4 then image_url end
     where passport_id = any ($1)
       and (not $2 and verified is not null or not $3 and name is not null or not $4 and image_url is not null)`,
    [passportIds, ...keeps],
  );
}

/** How many people have a value of each field. One scan of passport. */
export async function countCarriedValues(connection: Connection): Promise<Record<CarriedField, number>> {
  const { rows } = await connection.query<Record<CarriedField, number>>(
    `select count(verified) as "verified", count(name) as "passport_profile.name",
       count(image_url) as "passport_profile.image_url"
     from passport`,
  );
  return rows[0] as Record<CarriedField, number>;
}

/** How many people have an id up to this one. By the primary key. */
export async function countPresented(connection: Connection, presentedTo: number): Promise<number> {
  return queryValue<number>(connection, "select count(*) from passport where passport_id <= $1", [presentedTo]);
}
