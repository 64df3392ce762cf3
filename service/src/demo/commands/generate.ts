import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import { joinLines, printPerson, writeSnapshot } from "#core/files/write-snapshot.ts";
import { formatCount, formatPeople, printOnInterrupt, printResult } from "#core/terminal/output.ts";
import { integerParser } from "#core/terminal/parse.ts";
import { withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { inventPopulation } from "#demo/invent/population.ts";

/** A constant, so that the same seed gives the same bytes on any day. */
const CREATED_AT = new Date("2025-03-31T00:00:00Z");

type Options = { people: number; seed: number; credentialsFor?: number; out?: string; json?: boolean };

export const generateCommand = (terminal: Terminal): Command =>
  new Command("generate")
    .description("invent people for trials and measurements")
    .requiredOption("--people <number>", "number of people", integerParser(0))
    .option("--seed <number>", "the same seed gives the same people, byte for byte", integerParser(0, 2 ** 32 - 1), 1)
    .option("--credentials-for <number>", "invent credentials for the first people only", integerParser(0))
    .option("--out <folder>", "write a snapshot to this folder (default: lines on standard output)")
    .option("--json", "with --out, print the manifest as JSON")
    .addHelpText(
      "after",
      `
The people are not real. Names use many scripts; a few are common and most are rare. Few scores are high and many are equal.

Examples:
  $ credence generate --people 1000 --out ./invented
  $ credence generate --people 10 --seed 7 | head -n 1`,
    )
    .action((options: Options) => generate(terminal, options));

async function generate(terminal: Terminal, options: Options): Promise<void> {
  const { people, seed, credentialsFor, out, json } = options;
  const invented = inventPopulation(seed, people, credentialsFor);
  if (out === undefined) {
    await pipeline(joinLines(lines(invented)), terminal.stdout, { end: false });
    return;
  }
  printOnInterrupt(terminal, `"${out}" is incomplete: remove it.`);
  const limit = credentialsFor === undefined ? "" : ` --credentials-for ${credentialsFor}`;
  const source = `credence generate --people ${people} --seed ${seed}${limit}`;
  const content = {
    source,
    createdAt: CREATED_AT,
    people: Iterator.from(invented).map(printPerson),
    decisions: null,
    privateKey: null,
  };
  const manifest = await withProgress(terminal, "Invented", (update) =>
    writeSnapshot(out, content, (done) => update(done, done, people)),
  );
  printResult(
    terminal,
    json,
    manifest,
    `Wrote ${formatPeople(manifest.people)} with ${formatCount(manifest.credentials, "credential")} to "${out}".`,
  );
}

async function* lines(people: Iterable<unknown>): AsyncGenerator<string> {
  for (const person of people) yield JSON.stringify(person);
}
