import { join } from "node:path";
import type { Person } from "@credence/contract/person.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { runCredence } from "../harness.ts";
import { writePeople } from "../write-people.ts";

const SEED = 8;
/** The number of people with texts of the maximum length: a full page. */
const LONG_PEOPLE = 100;
const HOT = 100;
const CHARACTERS = { bio: 10_000, name: 1_000, text: 1_000, tag: 100 };
const TAGS = 100;
const SOCIALS = 6;
/** Above the score of any invented person: these people are the first page of the list. */
const TOP_SCORE = 1_000_000;

/** Paths: `all` people by id; the `hot` ones of the good client by id and by wallet. */
export type Lookups = { all: string[]; hot: string[] };

/** Imports people. The first page of the list has the maximum size. */
export async function importPeople(folder: string, url: string, people: number): Promise<Lookups> {
  const path = join(folder, "people.ndjson");
  await writePeople(path, people, SEED, lengthen);
  await runCredence(["import", path], { DATABASE_URL: url });
  const shown = [...inventPopulation(SEED, people)].slice(LONG_PEOPLE);
  const pathOf = (reference: number | string): string => `/api/v1/passports/${reference}`;
  return {
    all: shown.map(({ passport }) => pathOf(passport.passport_id)),
    hot: shown.slice(0, HOT).map(({ passport: { passport_id, main_wallet } }, index) => {
      return pathOf(index % 2 === 0 ? passport_id : (main_wallet ?? passport_id));
    }),
  };
}

function lengthen(person: Person): Person {
  const { passport } = person;
  const id = passport.passport_id;
  if (id > LONG_PEOPLE) return person;
  const [social] = passport.passport_socials;
  const text = longText(CHARACTERS.text, id);
  return {
    credentials: person.credentials,
    passport: {
      ...passport,
      score: TOP_SCORE - id,
      merged: false,
      passport_profile: {
        bio: longText(CHARACTERS.bio, id),
        display_name: `${"Long Name ".repeat(CHARACTERS.name / 10).slice(0, -4)}${String(id).padStart(4, "0")}`,
        location: text,
        tags: Array.from({ length: TAGS }, (_, index) => longText(CHARACTERS.tag, id + index)),
      },
      passport_socials: Array.from({ length: SOCIALS }, () => ({
        ...{ follower_count: "1", following_count: "1", profile_image_url: null, profile_url: null, source: "github" },
        ...social,
        ...{ location: text, profile_bio: text, profile_display_name: text, profile_name: text },
      })),
    },
  };
}

/** Uses Han characters, which have three bytes each. */
function longText(characters: number, from: number): string {
  return Array.from({ length: characters }, (_, index) =>
    String.fromCharCode(0x4e00 + ((from * 31 + index) % 5_000)),
  ).join("");
}
