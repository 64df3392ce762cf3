import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Person } from "@credence/contract/person.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { carrying } from "#testing/carrying.ts";

/** Writes invented people, each of them changed, one a line. */
export async function writePeople(
  path: string,
  people: number,
  seed: number,
  change: (person: Person, at: number) => Person,
): Promise<void> {
  await pipeline(function* () {
    let at = 0;
    for (const person of inventPopulation(seed, people)) yield `${JSON.stringify(change(person, at++))}\n`;
  }, createWriteStream(path));
}

/** With values of the carried fields. */
export const writeCarryingPeople = (path: string, people: number): Promise<void> =>
  writePeople(path, people, 56, carrying);
