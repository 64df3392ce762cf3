import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Person } from "@credence/contract/person.ts";
import fc from "fast-check";
import { inventPopulation } from "#demo/invent/population.ts";
import { startCredence, withProofDatabase, withProofFolder } from "./harness.ts";

const MAX_MEMORY_MIB = 512;
const EXIT = { attention: 3 };

/** Valid lines of a hostile file are imported, invalid ones reported, in bounded memory. */
export function proveHostileFile(lines: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const path = join(folder, "hostile.ndjson.gz");
      const hostile = makeLines(lines);
      await pipeline(Readable.from(printLines(hostile)), createGzip(), createWriteStream(path));
      const rejects = join(folder, "rejects.ndjson");
      const args = ["import", path, "--rejects", rejects, "--no-standing", "--json"];
      const run = await startCredence(args, { DATABASE_URL: url }).ended;
      assert.equal(run.code, EXIT.attention, run.stderr);
      assert.ok(run.peakMiB < MAX_MEMORY_MIB, `${run.peakMiB} MiB`);

      const reported = (await readFile(rejects, "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const invalid = hostile.flatMap((line, index) => (line.id === null ? [index + 1] : []));
      assert.deepEqual(
        reported.map((reject) => reject.line).sort((a, b) => a - b),
        invalid,
      );
      assert.ok(
        reported.every(
          ({ reason, file }) => typeof reason === "string" && reason.length > 5 && file === "hostile.ndjson.gz",
        ),
      );
      const { rows } = await database.query<{ passport_id: number }>("select passport_id from passport order by 1");
      assert.deepEqual(
        rows.map((row) => row.passport_id),
        hostile.flatMap((line) => line.id ?? []).sort((a, b) => a - b),
      );
      return {
        lines,
        refused: invalid.length,
        kinds: Object.fromEntries(
          Map.groupBy(hostile, (line) => line.kind)
            .entries()
            .map(([kind, group]) => [kind, group.length]),
        ),
        seconds: run.seconds,
        peak_mib: run.peakMiB,
      };
    }),
  );
}

function* printLines(lines: readonly HostileLine[]): Generator<Buffer> {
  for (const { print } of lines) yield Buffer.concat([Buffer.from(print()), Buffer.from("\n")]);
}

/** `id` is the id of the person, or null for a line that must be refused. */
type HostileLine = { kind: string; print: () => string | Buffer; id: number | null };
type Json = Record<string, unknown>;

/** A third of the lines is valid. The others are made invalid, each in one way. */
function makeLines(count: number): HostileLine[] {
  const kinds = fc.constantFrom(...Object.keys(CORRUPTIONS));
  const plan = fc.tuple(fc.integer({ min: 0, max: 2 }), kinds, fc.nat(), fc.jsonValue());
  const drawn = fc.sample(plan, { numRuns: count, seed: 4 });
  return [...inventPopulation(9, count)].map((person, index) => {
    const [chance, kind, number, value] = drawn[index] as [number, string, number, unknown];
    const id = person.passport.passport_id;
    const corrupt = CORRUPTIONS[kind] as Corrupt;
    // The first line is valid: other lines repeat its id.
    if (index === 0 || chance === 0) return { kind: "valid", print: () => JSON.stringify(person), id };
    return { kind, print: () => corrupt(structuredClone(person), number, value), id: null };
  });
}

type Corrupt = (person: Person, number: number, value: unknown) => string | Buffer;

const changed = (person: Person, change: (passport: Json, credential: Json) => void): string => {
  change(person.passport as unknown as Json, person.credentials[0] as unknown as Json);
  return JSON.stringify(person);
};
const fieldAt = (part: object, number: number): string =>
  Object.keys(part)[number % Object.keys(part).length] as string;

const CORRUPTIONS: Record<string, Corrupt> = {
  "another type": (person, number, value) =>
    changed(person, (passport) => {
      passport[fieldAt(passport, number)] = { wrong: value };
    }),
  "any JSON": (_, __, value) => JSON.stringify({ passport: value, credentials: value }),
  "a missing field": (person, number) =>
    changed(person, (_, credential) => {
      delete credential[fieldAt(credential, number)];
    }),
  "an unknown field": (person, _, value) =>
    changed(person, (passport) => Object.assign(passport, { "__proto__ ": value })),
  NaN: (person) => JSON.stringify(person).replace(/"score":[\d.]+|"score":null/, '"score":NaN'),
  "a huge number": (person, number) =>
    JSON.stringify(person).replace(/"max_score":[\d.]+/, `"max_score":1e${16 + (number % 400)}`),
  "a negative number": (person, number) =>
    changed(person, (passport) => Object.assign(passport, { activity_score: -1 - number })),
  "an id above 2^53": (person) => JSON.stringify(person).replace(/"passport_id":\d+/, '"passport_id":9007199254740993'),
  NUL: (person) => changed(person, (_, credential) => Object.assign(credential, { value: "a\0b" })),
  "an unpaired surrogate": (person) =>
    changed(person, (_, credential) => Object.assign(credential, { name: "\udc00x" })),
  "invalid UTF-8": (person) =>
    Buffer.concat([Buffer.from(JSON.stringify(person).slice(0, -2)), Buffer.from([0xc3, 0x28]), Buffer.from("]}")]),
  truncated: (person, number) => {
    const text = JSON.stringify(person);
    return text.slice(0, 1 + (number % (text.length - 1)));
  },
  "a duplicate id": (person) => changed(person, (passport) => Object.assign(passport, { passport_id: 1 })),
  "a duplicate key": (person) => `${JSON.stringify(person).slice(0, -1)},"credentials":{}}`,
  "deep nesting": (_, number) => "[".repeat(1_000 + (number % 100_000)),
  // One in 100 of these lines has 10 million characters. The others are slightly too long.
  "a very long line": (person, number) =>
    changed(person, (passport) => {
      (passport.passport_profile as Json).bio = "x".repeat(number % 100 === 0 ? 10_000_000 : 270_000);
    }),
};
