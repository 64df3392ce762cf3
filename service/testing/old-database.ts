import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Person } from "@credence/contract/person.ts";
import { testDatabase } from "./database.ts";

const SCHEMA = readFileSync(new URL("old-schema.sql", import.meta.url), "utf8");

/** The query of docs/TAKE-OVER.md. */
const OLD_QUERY = readFileSync(new URL("../../deploy/take-over/people.sql", import.meta.url), "utf8");

/** Creates a database with the schema of an old server, which contains these people. */
export async function oldDatabase(people: readonly Person[], cachedResponses: readonly object[] = []): Promise<string> {
  const { url, database } = await testDatabase("template template0 encoding 'UTF8'");
  await database.query(SCHEMA);
  const insert = (table: string, rows: readonly object[]) =>
    database.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(rows),
    ]);
  const each = (map: (person: Person, passport_id: number) => object | object[]) =>
    people.flatMap((person) => map(person, person.passport.passport_id));
  await insert(
    "passports",
    each(({ passport: { last_calculated_at, human_checkmark, ...passport } }, id) => ({
      ...passport,
      id,
      human: human_checkmark,
      calculated_at: last_calculated_at,
      created_at: "2020-01-01",
    })),
  );
  await insert(
    "profiles",
    each(({ passport }, passport_id) => ({ passport_id, ...passport.passport_profile })),
  );
  await insert(
    "profile_tags",
    each(({ passport }, passport_id) =>
      passport.passport_profile.tags.map((tag, position) => ({ passport_id, position, tag })),
    ),
  );
  await insert(
    "wallets",
    each(({ passport }, passport_id) =>
      passport.verified_wallets.map((address, position) => ({
        passport_id,
        position,
        address,
        verified_at: "2020-01-01",
      })),
    ),
  );
  await insert(
    "connections",
    each(({ passport }, passport_id) =>
      Array.from({ length: passport.connections_count }, (_, other_id) => ({ passport_id, other_id })),
    ),
  );
  await insert(
    "social_accounts",
    each(({ passport }, passport_id) =>
      passport.passport_socials.map((social, position) => ({
        passport_id,
        position,
        source: social.source,
        location: social.location,
        name: social.profile_name,
        followers: social.follower_count,
        following: social.following_count,
        bio: social.profile_bio,
        display_name: social.profile_display_name,
        image_url: social.profile_image_url,
        url: social.profile_url,
      })),
    ),
  );
  await insert(
    "credentials",
    each(({ credentials }, passport_id) =>
      credentials.map(({ last_calculated_at, ...credential }) => ({
        passport_id,
        ...credential,
        calculated_at: last_calculated_at,
      })),
    ),
  );
  await insert("cached_responses", cachedResponses);
  return url;
}

/** Runs the query of docs/TAKE-OVER.md with psql. Returns the path of its output. */
export async function queryOldDatabase(url: string, folder: string): Promise<string> {
  await writeFile(join(folder, "people.sql"), OLD_QUERY);
  const script = 'umask 077 && psql "$0" -q -f people.sql > people.ndjson';
  await promisify(execFile)("bash", ["-c", script, url], { cwd: folder });
  return join(folder, "people.ndjson");
}
