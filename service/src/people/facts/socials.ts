import type { PassportSocial } from "@credence/contract/passport.ts";
import { copyEncoded, type EncodedRows, encodeRow } from "#core/database/copy.ts";
import type { Connection } from "#core/database/database.ts";

export type ListedSocial = PassportSocial & { passport_id: number; position: number };

/** A person's socials, encoded for `insertSocials`. */
export function encodeSocials(passportId: number, socials: readonly PassportSocial[]): string {
  return socials
    .map((social, index) =>
      encodeRow([
        passportId,
        index + 1,
        social.follower_count,
        social.following_count,
        social.location,
        social.profile_bio,
        social.profile_display_name,
        social.profile_image_url,
        social.profile_name,
        social.profile_url,
        social.source,
      ]),
    )
    .join("");
}

export async function insertSocials(connection: Connection, printed: Iterable<EncodedRows>): Promise<void> {
  await copyEncoded(
    connection,
    `social (passport_id, position, follower_count, following_count, location, profile_bio, profile_display_name,
       profile_image_url, profile_name, profile_url, source)`,
    printed,
  );
}

export async function deleteSocials(connection: Connection, passportIds: readonly number[]): Promise<void> {
  await connection.query("delete from social where passport_id = any ($1)", [passportIds]);
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
