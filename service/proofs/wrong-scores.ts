import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Credential } from "@credence/contract/credential.ts";
import type { Person } from "@credence/contract/person.ts";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { splitLines } from "#core/files/lines.ts";
import { openSource } from "#core/files/source.ts";
import { runCredence } from "./harness.ts";

/** Added to every overall score, so that a recalculation changes all of them. */
export const SCORE_OFFSET = 1_000;

/**
 * Writes people whose overall scores are wrong. One in `poisonedEvery` has credentials whose sum
 * exceeds the maximum of V1.
 */
export async function writeWrongScores(folder: string, people: number, poisonedEvery = 0): Promise<string> {
  const generated = join(folder, "generated");
  const path = join(folder, "wrong-scores.ndjson");
  await runCredence(["generate", "--people", String(people), "--seed", "4", "--out", generated]);
  await pipeline(Readable.from(changeLines(generated, poisonedEvery)), createWriteStream(path));
  return path;
}

async function* changeLines(folder: string, poisonedEvery: number): AsyncGenerator<string> {
  const source = await openSource(folder, null);
  let number = 0;
  for (const file of source.files) {
    const chunks = file.read(() => {});
    for await (const lines of splitLines(chunks, LIMITS.lineBytes)) {
      for (const line of lines) {
        number += 1;
        const person = JSON.parse(line.bytes.toString("utf8")) as Person;
        const poisoned = poisonedEvery > 0 && number % poisonedEvery === 0;
        const changed = addOffset(person);
        yield `${JSON.stringify(poisoned ? poison(changed) : changed)}\n`;
      }
    }
  }
}

function addOffset(person: Person): Person {
  const { passport } = person;
  const sum = passport.activity_score + passport.identity_score + passport.skills_score;
  return { ...person, passport: { ...passport, score: sum + SCORE_OFFSET } };
}

const HUGE = { category: "Skills", score: 10 ** 15, max_score: 10 ** 15 };

function poison(person: Person): Person {
  const [first, second, ...rest] = person.credentials;
  return { ...person, credentials: [{ ...first, ...HUGE }, { ...second, ...HUGE }, ...rest] as Credential[] };
}
