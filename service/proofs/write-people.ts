import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { inventPopulation } from "#demo/invent/population.ts";
import { carrying } from "#testing/carrying.ts";

/** Writes invented people with values of the carried fields, one a line. */
export async function writeCarryingPeople(path: string, people: number): Promise<void> {
  await pipeline(function* () {
    let at = 0;
    for (const person of inventPopulation(56, people)) yield `${JSON.stringify(carrying(person, at++))}\n`;
  }, createWriteStream(path));
}
