import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Credential } from "@credence/contract/credential.ts";
import { LIMITS, type Person } from "@credence/contract/person.ts";
import { splitLines } from "#snapshot/lines.ts";
import { openSource } from "#snapshot/source.ts";
import { runCredence } from "./ground.ts";

/** By how much everyone's overall score is too high when they come in, so that a recalculation changes everyone's. */
export const TOO_HIGH = 1_000;

/** Writes people whose scores do not add up, one in `poisonedEvery` with credentials that come to more than V1 can show. */
export async function writeUneven(folder: string, people: number, poisonedEvery = 0): Promise<string> {
  const generated = join(folder, "generated");
  const uneven = join(folder, "uneven.ndjson");
  await runCredence(["generate", "--people", String(people), "--seed", "4", "--out", generated]);
  await pipeline(Readable.from(bendLines(generated, poisonedEvery)), createWriteStream(uneven));
  return uneven;
}

async function* bendLines(folder: string, poisonedEvery: number): AsyncGenerator<string> {
  const source = await openSource(folder, null);
  let number = 0;
  for (const file of source.files) {
    for await (const lines of splitLines(
      file.read(() => {}),
      LIMITS.lineBytes,
    )) {
      for (const line of lines) {
        number += 1;
        const person = JSON.parse(line.bytes.toString("utf8")) as Person;
        const poisoned = poisonedEvery > 0 && number % poisonedEvery === 0;
        yield `${JSON.stringify(poisoned ? poison(raise(person)) : raise(person))}\n`;
      }
    }
  }
}

function raise(person: Person): Person {
  const { passport } = person;
  const sum = passport.activity_score + passport.identity_score + passport.skills_score;
  return { ...person, passport: { ...passport, score: sum + TOO_HIGH } };
}

const HUGE = { category: "Skills", score: 10 ** 15, max_score: 10 ** 15 };

function poison(person: Person): Person {
  const [one, other, ...rest] = person.credentials;
  return { ...person, credentials: [{ ...one, ...HUGE }, { ...other, ...HUGE }, ...rest] as Credential[] };
}
