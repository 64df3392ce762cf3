import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Person } from "@credence/contract/person.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { runCredence, withProofFolder } from "./harness.ts";

const MAX_MEMORY_MIB = 300;
/** Every 100th response is a file; the others are lines. */
const FILES = 100;

/**
 * Makes a snapshot of saved responses: passports and credentials as lines in a mixed order, some as
 * files, and pages of the list. Measures time and memory, for a tenth of the responses as well: the
 * memory must not depend on their number.
 */
export async function proveCollectFiles(responses: number) {
  const tenth = await collect(Math.ceil(responses / 10));
  const all = await collect(responses);
  assert.ok(all.peak_mib <= MAX_MEMORY_MIB, `${all.peak_mib} MiB`);
  return { ...all, peak_mib_of_a_tenth: tenth.peak_mib };
}

function collect(responses: number) {
  return withProofFolder(async (folder) => {
    const raw = join(folder, "raw");
    await mkdir(raw);
    const people = Math.floor(responses / 2);
    let bytes = 0;
    const lines = async function* () {
      for (const [at, person] of inventInMixedOrder(people)) {
        const { passport, credentials } = person;
        const id = passport.passport_id;
        if (at % FILES === 0) {
          await writeFile(join(raw, `passport-${id}.json`), JSON.stringify({ passport }, null, 2));
          await writeFile(join(raw, `credentials-${id}.json`), JSON.stringify({ passport_credentials: credentials }));
          continue;
        }
        const text =
          printLine(`/api/v1/passport_credentials?passport_id=${id}`, { passport_credentials: credentials }) +
          printLine(`/api/v1/passports/${id}`, { passport });
        bytes += text.length;
        yield text;
      }
    };
    await pipeline(Readable.from(lines()), createWriteStream(join(raw, "responses.ndjson")));
    const run = await runCredence(["collect", "--from-files", raw, "--out", join(folder, "out"), "--json"], {
      DATABASE_URL: "",
    });
    const result = JSON.parse(run.stdout) as { people: number; rejected: number };
    assert.equal(result.people, people);
    assert.equal(result.rejected, 0);
    return {
      responses: 2 * people,
      mib: Math.round(bytes / 1_048_576),
      seconds: run.seconds,
      responses_per_second: Math.round((2 * people) / run.seconds),
      peak_mib: run.peakMiB,
    };
  });
}

/** People of a population, in an order that is far from that of their ids. */
function* inventInMixedOrder(people: number): Generator<[number, Person]> {
  let at = 0;
  for (const person of inventPopulation(8, people)) {
    const { passport_id: id } = person.passport;
    // 7,919 is a prime that does not divide a round number of people: the ids are a permutation.
    const mixed = ((id * 7_919) % people) + 1;
    yield [at, { ...person, passport: { ...person.passport, passport_id: mixed } }];
    at += 1;
  }
}

const printLine = (url: string, body: unknown): string =>
  `${JSON.stringify({ url: `https://old.example${url}`, status: 200, at: "2026-01-01T00:00:00Z", body })}\n`;
