import type { Person } from "@credence/contract/person.ts";
import { inventOddPeople } from "./odd-people.ts";
import { inventPerson } from "./person.ts";
import { randomFrom } from "./random.ts";

export const DEMO_SIZE = 200;
const SEED = 8;

/** The people of the demo: edge cases first, then ordinary people. Always the same. */
export function inventDemoPeople(): Person[] {
  const odd = inventOddPeople(SEED);
  const ordinary = Array.from({ length: DEMO_SIZE - odd.length }, (_, at) => {
    const passportId = odd.length + at + 1;
    return inventPerson(randomFrom(SEED, passportId), passportId);
  });
  return [...odd, ...ordinary];
}
