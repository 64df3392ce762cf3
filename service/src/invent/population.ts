import type { Person } from "@credence/contract/person.ts";
import { inventPerson } from "./person.ts";
import { type Random, randomFrom } from "./random.ts";

/**
 * As many people as asked for, with the ids 1, 2, 3, …, one at a time. Each depends on the seed and their id alone. Those after the
 * first `withCredentials` keep the scores that theirs gave them, but not the credentials.
 */
export function* inventPopulation(seed: number, size: number, withCredentials = size): Generator<Person> {
  for (let passportId = 1; passportId <= size; passportId += 1) {
    const random = randomFrom(seed, passportId);
    const person = withRareTraits(inventPerson(random, passportId), random, size);
    yield passportId <= withCredentials ? person : { ...person, credentials: [] };
  }
}

/** What happens to one in a few hundred: no score yet, no name, hidden, merged into somebody else. */
function withRareTraits(person: Person, random: Random, size: number): Person {
  const { passport } = person;
  const trait = random.fraction();
  if (trait < 0.005) passport.score = null;
  else if (trait < 0.01) passport.passport_profile.display_name = null;
  else if (trait < 0.012) person.operator = { hidden: true };
  else if (trait < 0.017) {
    const survivor = random.int(1, size);
    if (survivor === passport.passport_id) return person;
    passport.merged = true;
    person.operator = { merged_into: survivor };
  }
  return person;
}
