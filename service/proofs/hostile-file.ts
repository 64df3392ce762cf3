import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Person } from "@credence/contract/person.ts";
import fc from "fast-check";
import { inventPopulation } from "#invent/population.ts";
import { type Run, startCredence, withProofDatabase, withProofFolder } from "./ground.ts";

const MEMORY_MIB = 512;
const EXIT = { attention: 3, refused: 4 };

/** A file that wants to do harm: whatever is in it, every good line is taken in and every other one is reported, in bounded memory. */
export function proveHostileFile(lines: number, bombGigabytes = 2) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const path = join(folder, "hostile.ndjson.gz");
      const given = makeLines(lines);
      await pipeline(Readable.from(printLines(given)), createGzip(), createWriteStream(path));
      const rejects = join(folder, "rejects.ndjson");
      const args = ["import", path, "--rejects", rejects, "--no-standing", "--json"];
      const run = await startCredence(args, { DATABASE_URL: url }).ended;
      assert.equal(run.code, EXIT.attention, run.stderr);
      assert.ok(run.peakMiB < MEMORY_MIB, `${run.peakMiB} MiB`);

      const told = (await readFile(rejects, "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const bad = given.flatMap((line, at) => (line.id === null ? [at + 1] : []));
      assert.deepEqual(
        told.map((one) => one.line).sort((one, other) => one - other),
        bad,
      );
      assert.ok(
        told.every(
          (one) => typeof one.reason === "string" && one.reason.length > 5 && one.file === "hostile.ndjson.gz",
        ),
      );
      const { rows } = await database.query<{ passport_id: number }>("select passport_id from passport order by 1");
      const good = given.flatMap((line) => (line.id === null ? [] : [line.id])).sort((one, other) => one - other);
      assert.deepEqual(
        rows.map((row) => row.passport_id),
        good,
      );
      const bomb = await explode(folder, url, bombGigabytes);
      return {
        lines,
        refused: bad.length,
        kinds: Object.fromEntries(
          Map.groupBy(given, (line) => line.kind)
            .entries()
            .map(([kind, some]) => [kind, some.length]),
        ),
        seconds: run.seconds,
        peak_mib: run.peakMiB,
        bomb,
      };
    }),
  );
}

function* printLines(lines: readonly HostileLine[]): Generator<Buffer> {
  for (const { print } of lines) yield Buffer.concat([Buffer.from(print()), Buffer.from("\n")]);
}

/** `id` tells whose line it is; null for one that must be refused. */
type HostileLine = { kind: string; print: () => string | Buffer; id: number | null };
type Json = Record<string, unknown>;

/** One in three lines is left as it is; the others are spoilt, each in a way that no reader may forgive. */
function makeLines(count: number): HostileLine[] {
  const kinds = fc.constantFrom(...Object.keys(SPOIL));
  const plan = fc.tuple(fc.integer({ min: 0, max: 2 }), kinds, fc.nat(), fc.jsonValue());
  const drawn = fc.sample(plan, { numRuns: count, seed: 4 });
  return [...inventPopulation(9, count)].map((person, at) => {
    const [chance, kind, number, value] = drawn[at] as [number, string, number, unknown];
    const id = person.passport.passport_id;
    const spoil = SPOIL[kind] as Spoil;
    // The first line is good: it is the one that others repeat.
    if (at === 0 || chance === 0) return { kind: "good", print: () => JSON.stringify(person), id };
    return { kind, print: () => spoil(structuredClone(person), number, value), id: null };
  });
}

type Spoil = (person: Person, number: number, value: unknown) => string | Buffer;

const spoilt = (person: Person, change: (passport: Json, credential: Json) => void): string => {
  change(person.passport as unknown as Json, person.credentials[0] as unknown as Json);
  return JSON.stringify(person);
};
const fieldAt = (part: object, number: number): string =>
  Object.keys(part)[number % Object.keys(part).length] as string;

const SPOIL: Record<string, Spoil> = {
  "another type": (person, number, value) =>
    spoilt(person, (passport) => {
      passport[fieldAt(passport, number)] = { wrong: value };
    }),
  "any JSON": (_, __, value) => JSON.stringify({ passport: value, credentials: value }),
  "a field missing": (person, number) =>
    spoilt(person, (_, credential) => {
      delete credential[fieldAt(credential, number)];
    }),
  "a field too many": (person, _, value) =>
    spoilt(person, (passport) => Object.assign(passport, { "__proto__ ": value })),
  NaN: (person) => JSON.stringify(person).replace(/"score":[\d.]+|"score":null/, '"score":NaN'),
  "a huge number": (person, number) =>
    JSON.stringify(person).replace(/"max_score":[\d.]+/, `"max_score":1e${16 + (number % 400)}`),
  "a negative number": (person, number) =>
    spoilt(person, (passport) => Object.assign(passport, { activity_score: -1 - number })),
  "an id past 2^53": (person) => JSON.stringify(person).replace(/"passport_id":\d+/, '"passport_id":9007199254740993'),
  NUL: (person) => spoilt(person, (_, credential) => Object.assign(credential, { value: "a\0b" })),
  "half a surrogate": (person) => spoilt(person, (_, credential) => Object.assign(credential, { name: "\udc00x" })),
  "no UTF-8": (person) =>
    Buffer.concat([Buffer.from(JSON.stringify(person).slice(0, -2)), Buffer.from([0xc3, 0x28]), Buffer.from("]}")]),
  "cut off": (person, number) => {
    const text = JSON.stringify(person);
    return text.slice(0, 1 + (number % (text.length - 1)));
  },
  "the first one's id": (person) => spoilt(person, (passport) => Object.assign(passport, { passport_id: 1 })),
  "a key twice, differently": (person) => `${JSON.stringify(person).slice(0, -1)},"credentials":{}}`,
  "deep nesting": (_, number) => "[".repeat(1_000 + (number % 100_000)),
  // One in a hundred of them has ten million characters, the others just too many.
  "a very long line": (person, number) =>
    spoilt(person, (passport) => {
      (passport.passport_profile as Json).bio = "x".repeat(number % 100 === 0 ? 10_000_000 : 1_050_000);
    }),
};

/** A small file that unpacks to gigabytes: one line of blanks, then one of open brackets. */
async function explode(
  folder: string,
  url: string,
  gigabytes: number,
): Promise<Pick<Run, "code" | "peakMiB" | "seconds"> & { gigabytes: number }> {
  const path = join(folder, "bomb.ndjson.gz");
  await pipeline(
    Readable.from(
      (function* () {
        const chunk = Buffer.alloc(1_048_576, " ");
        for (let count = 0; count < gigabytes * 512; count += 1) yield chunk;
        chunk.fill("[");
        for (let count = 0; count < gigabytes * 512; count += 1) yield chunk;
      })(),
    ),
    createGzip({ level: 9 }),
    createWriteStream(path),
  );
  const args = ["import", path, "--rejects", join(folder, "bomb-rejects.ndjson"), "--no-standing"];
  const { code, peakMiB, seconds, stderr } = await startCredence(args, { DATABASE_URL: url }).ended;
  assert.equal(code, EXIT.attention, stderr);
  assert.ok(peakMiB < MEMORY_MIB, `${peakMiB} MiB`);
  return { gigabytes, code, peakMiB, seconds };
}
