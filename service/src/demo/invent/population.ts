import type { Person } from "@credence/contract/person.ts";
import { inventOddPeople } from "./odd-people.ts";
import { inventPerson } from "./person.ts";
import { type Random, randomFrom } from "./random.ts";

/**
 * Generates `size` people with the ids 1, 2, 3, … A person depends only on the seed and the id.
 * People after the first `withCredentials` have scores but no credentials.
 */
export function* inventPopulation(seed: number, size: number, withCredentials = size): Generator<Person> {
  for (let passportId = 1; passportId <= size; passportId += 1) {
    const random = randomFrom(seed, passportId);
    const person = withRareTraits(inventPerson(random, passportId), random);
    yield passportId <= withCredentials ? person : { ...person, credentials: [] };
  }
}

/** Gives about one person in sixty a rare trait: no score, no name, or merged. */
function withRareTraits(person: Person, random: Random): Person {
  const { passport } = person;
  const trait = random.fraction();
  if (trait < 0.005) passport.score = null;
  else if (trait < 0.01) passport.passport_profile.display_name = null;
  else if (trait >= 0.012 && trait < 0.017) passport.merged = true;
  return person;
}

export const DEMO_SIZE = 200;
const SEED = 8;

/** The people of the demo: edge cases first, then ordinary people. Always the same. */
export function inventDemoPeople(): Person[] {
  const odd = inventOddPeople(SEED);
  const ordinary = Array.from({ length: DEMO_SIZE - odd.length }, (_, index) => {
    const passportId = odd.length + index + 1;
    return inventPerson(randomFrom(SEED, passportId), passportId);
  });
  return [...odd, ...ordinary];
}
