#!/usr/bin/env node
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { compareWithBaseline, writeBaseline } from "./baseline.ts";
import { dropData } from "./data.ts";
import { figuresOf, reaches } from "./figures.ts";
import { writeReport } from "./report.ts";
import { runBench } from "./run-bench.ts";
import { say } from "./say.ts";
import { listUnanswered } from "./smoke.ts";

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
};

const SOME_KEYWORDS = 50;

const whole = (text: string): number => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw new InvalidArgumentError("Give a whole number.");
  return number;
};

await new Command("bench")
  .description("measure the service against the bare engines it stands on")
  .option("--people <number>", "how many people to invent, or to use again", whole, 10_000)
  .option("--database <url>", "a PostgreSQL on this machine in which databases can be made; otherwise DATABASE_URL")
  .option("--rounds <number>", "how often everything is measured", whole, 5)
  .option("--seconds <number>", "how long each time", whole, 5)
  .option("--memory <minutes>", "how long to watch memory under load", whole, 0)
  .option("--fresh", "invent the people anew, and leave no database behind")
  .option("--no-epoch", "do not build the list anew")
  .option("--out <folder>", "where results go, from which docs/PERFORMANCE.md is written", "bench/results")
  .option("--check <file>", "measure look-ups only, and fail if a ratio fell by more than 30 % below that file's")
  .option("--smoke", "measure look-ups only, and fail if a request got no answer, however fast the others were")
  .option("--keep <file>", "measure look-ups only, and write their ratios into that file")
  .action(bench)
  .parseAsync()
  .catch((error: Error) => {
    say(error.message);
    process.exitCode = 1;
  });

async function bench({
  people,
  rounds,
  seconds,
  memory,
  epoch,
  out,
  check,
  keep,
  smoke,
  ...options
}: Options): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: the one thing read from it.
  const database = options.database ?? process.env.DATABASE_URL ?? "";
  if (!URL.canParse(database))
    throw new Error("Give --database as postgres://user@host:5432/postgres, or DATABASE_URL.");
  const quick = smoke === true || check !== undefined || keep !== undefined;
  if (options.fresh) await dropData(database, people);
  const results = await runBench(database, {
    ...{ people, rounds, seconds, lookUpsOnly: quick, keywords: quick ? 0 : SOME_KEYWORDS },
    ...{ burst: !quick, epoch: epoch && !quick, memoryMinutes: memory },
  });
  if (options.fresh) await dropData(database, people);
  for (const figure of figuresOf(results)) {
    say(
      `${reaches(figure, figure.goal) ? "reached" : "missed "} ${figure.name}: ${figure.value.toFixed(2)} ${figure.unit}`,
    );
  }
  if (keep !== undefined) await writeBaseline(keep, results);
  if (smoke) {
    const unanswered = listUnanswered(results);
    for (const line of unanswered) say(line);
    if (unanswered.length > 0) process.exitCode = 1;
    else say("Every case was answered.");
  }
  if (check !== undefined) {
    const fallen = await compareWithBaseline(check, results);
    for (const line of fallen) say(line);
    if (fallen.length > 0) process.exitCode = 1;
    else say(`No ratio fell by more than 30 % below ${check}.`);
  }
  if (quick) return;
  await mkdir(out, { recursive: true });
  await writeFile(join(out, `${people}.json`), `${JSON.stringify(results, null, 2)}\n`);
  await writeReport(out);
}
