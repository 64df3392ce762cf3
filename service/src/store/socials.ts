import type { PassportSocial } from "@credence/contract/passport.ts";
import type { Connection } from "./database.ts";

export type ListedSocial = PassportSocial & { passport_id: number; position: number };

export async function replaceSocials(
  connection: Connection,
  passportIds: readonly number[],
  socials: readonly ListedSocial[],
): Promise<void> {
  await connection.query("delete from social where passport_id = any ($1)", [passportIds]);
  await connection.query(
    `insert into social (passport_id, position, follower_count, following_count, location, profile_bio,
       profile_display_name, profile_image_url, profile_name, profile_url, source)
     select * from json_to_recordset($1) as given (
       passport_id bigint, position smallint, follower_count text, following_count text, location text, profile_bio text,
       profile_display_name text, profile_image_url text, profile_name text, profile_url text, source text)`,
    [JSON.stringify(socials)],
  );
}

export async function listSocials(connection: Connection, passportIds: readonly number[]): Promise<ListedSocial[]> {
  const { rows } = await connection.query<ListedSocial>(
    `select passport_id, position, follower_count, following_count, location, profile_bio, profile_display_name,
       profile_image_url, profile_name, profile_url, source
     from social where passport_id = any ($1) order by passport_id, position`,
    [passportIds],
  );
  return rows;
}
