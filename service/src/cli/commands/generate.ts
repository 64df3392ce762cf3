import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import { printCount, printResult, sayWhenStopped } from "#cli/terminal/output.ts";
import { parseCount, parseSeed } from "#cli/terminal/parse.ts";
import { showProgress } from "#cli/terminal/progress.ts";
import { inventPopulation } from "#invent/population.ts";
import { joinLines, writeSnapshot } from "#snapshot/write-snapshot.ts";

/** Invented people were never made: the same seed gives the same bytes on any day. */
const CREATED_AT = new Date("2025-03-31T00:00:00Z");

type Options = { people: number; seed: number; credentialsFor?: number; out?: string; json?: boolean };

export const generateCommand = (): Command =>
  new Command("generate")
    .description("invent people, to try and to measure with")
    .requiredOption("--people <number>", "how many", parseCount)
    .option("--seed <number>", "which ones: the same seed gives the same people, byte for byte", parseSeed, 1)
    .option("--credentials-for <number>", "leave out the credentials of everyone after the first so many", parseCount)
    .option("--out <folder>", "write a snapshot there; without it, lines go to standard output")
    .option("--json", "with --out, print the manifest as the result")
    .addHelpText(
      "after",
      `
Nobody in them is real. Names come in many scripts, some common and many rare; few scores are high and many are equal.

Examples:
  $ credence generate --people 1000 --out ./invented
  $ credence generate --people 10 --seed 7 | head -n 1`,
    )
    .action(generate);

async function generate({ people, seed, credentialsFor, out, json }: Options): Promise<void> {
  const invented = inventPopulation(seed, people, credentialsFor);
  if (out === undefined) {
    await pipeline(joinLines(lines(invented)), process.stdout, { end: false });
    return;
  }
  sayWhenStopped(`${out} is not whole: remove it.`);
  const progress = showProgress("Invented");
  const only = credentialsFor === undefined ? "" : ` --credentials-for ${credentialsFor}`;
  const source = `credence generate --people ${people} --seed ${seed}${only}`;
  const content = { source, createdAt: CREATED_AT, people: invented, optOuts: null, privateKey: null };
  const manifest = await writeSnapshot(out, content, (done) =>
    progress.update({ people: done, fraction: done / people }),
  ).finally(progress.end);
  printResult(
    json ?? false,
    manifest,
    `Wrote ${printCount(manifest.people, "person", "people")} with ${printCount(manifest.credentials, "credential")} to ${out}.`,
  );
}

async function* lines(people: Iterable<unknown>): AsyncGenerator<string> {
  for (const person of people) yield JSON.stringify(person);
}
