import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Person } from "@credence/contract/person.ts";
import { inventPopulation } from "#demo/invent/population.ts";

/** Writes invented people, each of them changed, one a line. */
export async function writePeople(
  path: string,
  people: number,
  seed: number,
  change: (person: Person, at: number) => Person = (person) => person,
): Promise<void> {
  await pipeline(function* () {
    let at = 0;
    for (const person of inventPopulation(seed, people)) yield `${JSON.stringify(change(person, at++))}\n`;
  }, createWriteStream(path));
}
