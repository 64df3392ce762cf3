import assert from "node:assert/strict";
import type { Person } from "@credence/contract/person.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { findCurrentEpoch } from "#list/epochs.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCredence, withProofDatabase } from "./harness.ts";

const HEAP_MIB = 256;
const NAME_CHARACTERS = 1_000;
const BATCH = 500;

/** Builds the standing of long, random Han names in a small heap. */
export async function proveLongNames(people: number) {
  const ordinary = await buildStanding([...inventPopulation(5, people)]);
  const han = await buildStanding([...inventPopulation(5, people)].map(withHanName));
  return { people, ordinary, han, times_longer: han.seconds / ordinary.seconds };
}

function buildStanding(people: readonly Person[]) {
  return withProofDatabase(async ({ url, database }) => {
    for (let index = 0; index < people.length; index += BATCH)
      await savePeople(database, people.slice(index, index + BATCH));
    const environment = { DATABASE_URL: url, NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
    const { seconds, peakMiB } = await runCredence(["standing", "refresh"], environment);
    const { epoch, build_ms } = await findCurrentEpoch(database);
    assert.equal(epoch, 2);
    const { rows } = await database.query<{ mib: number }>(
      `select round(sum(pg_total_relation_size(oid)) / 1048576.0)::integer as mib from pg_class
       where relkind = 'r' and relname like 'standing_2%'`,
    );
    return { seconds, build_ms, peak_mib: peakMiB, epoch_mib: rows[0]?.mib };
  });
}

function withHanName(person: Person, at: number): Person {
  // A linear congruential generator: the same names on every run.
  let state = at + 1;
  const characters = Array.from({ length: NAME_CHARACTERS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCodePoint(0x4e00 + ((state >>> 8) % 20_900));
  });
  const passport_profile = { ...person.passport.passport_profile, display_name: characters.join("") };
  return { ...person, passport: { ...person.passport, passport_profile } };
}
