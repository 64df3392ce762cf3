#!/usr/bin/env node
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { compare } from "./alternatives/compare.ts";
import { plotComparison } from "./alternatives/report.ts";
import { compareWithBaseline, writeBaseline } from "./baseline.ts";
import { dropData } from "./data.ts";
import { figuresOf } from "./figures.ts";
import { log } from "./processes.ts";
import { listUnanswered, plotResults } from "./report.ts";
import { runBench } from "./run-bench.ts";
import { measureSizes } from "./sizes.ts";

type Options = {
  people: number;
  database?: string;
  rounds: number;
  seconds: number;
  memory: number;
  epoch: boolean;
  fresh?: boolean;
  out: string;
  check?: string;
  smoke?: boolean;
  keep?: string;
  compare?: boolean;
  sizes?: boolean;
};

const KEYWORDS_PER_KIND = 50;

const parseInteger = (argument: string): number => {
  const number = Number(argument);
  if (!/^\d+$/.test(argument) || !Number.isSafeInteger(number)) throw new InvalidArgumentError("Expected an integer.");
  return number;
};

await new Command("bench")
  .description("measure the service, a bare HTTP server and bare PostgreSQL under load")
  .option(
    "--people <number>",
    "the number of people; an existing database of this size is reused",
    parseInteger,
    10_000,
  )
  .option("--database <url>", "a PostgreSQL server on this machine; default: DATABASE_URL")
  .option("--rounds <number>", "the number of measurements of each case", parseInteger, 5)
  .option("--seconds <number>", "the duration of each measurement", parseInteger, 5)
  .option("--memory <minutes>", "measure memory under load for this long", parseInteger, 0)
  .option("--fresh", "create a new database, and drop it at the end")
  .option("--no-epoch", "do not measure a refresh of the standing")
  .option("--out <folder>", "the folder of the results, from which `npm run tables` writes documents", "bench/results")
  .option("--check <file>", "measure look-ups only; fail if a ratio is more than 30 % below this baseline")
  .option("--smoke", "measure look-ups only; fail if a connection breaks or a case gets no response")
  .option("--compare", "compare with a plain server and with JSON made in SQL")
  .option("--sizes", "measure the disk space of a fresh import only")
  .option("--keep <file>", "measure look-ups only; write their ratios to this baseline")
  .action(bench)
  .parseAsync()
  .catch((error: Error) => {
    log(error.message);
    process.exitCode = 1;
  });

async function bench(options: Options): Promise<void> {
  const { people, rounds, seconds, out, check, keep, smoke = false, fresh = false } = options;
  // biome-ignore lint/style/noProcessEnv: the only variable that is read.
  const database = options.database ?? process.env.DATABASE_URL ?? "";
  if (!URL.canParse(database))
    throw new Error("Set DATABASE_URL or --database, for example to postgres://user@host:5432/postgres.");
  if (options.compare) {
    const comparison = await compare(database, { people, rounds, seconds });
    await writeResult(out, "comparison.json", comparison);
    return plotComparison(comparison);
  }
  const lookUpsOnly = smoke || check !== undefined || keep !== undefined;
  if (fresh) await dropData(database, people);
  if (options.sizes) {
    await writeResult(out, "sizes.json", await measureSizes(database, people));
    return fresh ? dropData(database, people) : undefined;
  }
  const results = await runBench(database, {
    ...{ people, rounds, seconds, lookUpsOnly, keywords: lookUpsOnly ? 0 : KEYWORDS_PER_KIND },
    ...{ burst: !lookUpsOnly, epoch: options.epoch && !lookUpsOnly, memoryMinutes: options.memory },
  });
  if (fresh) await dropData(database, people);
  for (const { name, value, unit } of figuresOf(results)) log(`${name}: ${value.toFixed(2)} ${unit}`.trim());
  if (keep !== undefined) await writeBaseline(keep, results);
  if (smoke) reportFailures(listUnanswered(results), "All cases got responses.");
  if (check !== undefined)
    reportFailures(await compareWithBaseline(check, results), `No ratio is more than 30 % below ${check}.`);
  if (lookUpsOnly) return;
  await writeResult(out, `${people}.json`, results);
  await plotResults(out);
}

async function writeResult(folder: string, name: string, result: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `${JSON.stringify(result, null, 2)}\n`);
  log("Run `npm run tables` to write the tables of docs/PERFORMANCE.md and docs/reference/tuning.md.");
}

function reportFailures(failures: readonly string[], success: string): void {
  for (const line of failures) log(line);
  if (failures.length > 0) process.exitCode = 1;
  else log(success);
}
