#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { Asker } from "./asker.ts";
import type { Level } from "./clause.ts";
import { compareServers } from "./compare.ts";
import { printDifference, printOutcome, printSummary } from "./report.ts";
import { clausesOf, runClauses } from "./run.ts";

type Options = {
  key?: string;
  level: Level;
  json?: boolean;
  rate: number;
  timeout: number;
  compare?: string;
  pages: number;
};

const baseUrl = (text: string): string => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("Give an address such as https://v1.example.");
  return text;
};
const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("Give a number above 0.");
  return value;
};

const program = new Command("credence-conformance")
  .description("Checks whether a server speaks the deprecated V1 Passport and Credentials API.")
  .argument("<base-url>", "where the server is; /api/v1/… is added", baseUrl)
  .option("--key <key>", "send this X-API-KEY with every question that is not about keys")
  .addOption(
    new Option(
      "--level <level>",
      "spec: the specification's own words; credence: also what it leaves open, as Credence settles it",
    )
      .choices(["spec", "credence"])
      .default("credence"),
  )
  .option("--compare <base-url>", "ask another server the same questions, and show where the answers differ", baseUrl)
  .option("--pages <number>", "with --compare: how many pages of the list to walk, with everyone on them", positive, 2)
  .option("--rate <number>", "requests a second, at the most", positive, 20)
  .option("--timeout <ms>", "how long to wait for an answer", positive, 10_000)
  .option("--json", "print the result as JSON")
  .showHelpAfterError("Add --help to see how it is used.")
  .addHelpText(
    "after",
    `
A run of all checks sends about 130 requests, at most three at once. Nothing is written anywhere.

Examples:
  $ credence-conformance http://localhost:8080
  $ credence-conformance https://v1.example --level spec --json
  $ credence-conformance http://localhost:8080 --compare https://old.example --key …

Exit codes:
  0  every check passed, or the servers answer alike
  1  a check failed, the servers differ, or the server could not be asked
  2  wrong usage`,
  )
  .exitOverride()
  .action(async (url: string, options: Options) => {
    const open = (baseUrl: string) =>
      new Asker({ baseUrl, key: options.key, rate: options.rate, timeoutMs: options.timeout });
    const asker = open(url);
    try {
      const fine =
        options.compare === undefined
          ? await check(asker, options)
          : await compare(asker, open(options.compare), options);
      process.exitCode = fine ? 0 : 1;
    } finally {
      asker.end();
    }
  });

async function check(asker: Asker, { level, json, key }: Options): Promise<boolean> {
  const print = (text: string) => process.stdout.write(`${text}\n`);
  const outcomes = await runClauses(asker, clausesOf(level), key !== undefined, (outcome) => {
    if (!json) print(printOutcome(outcome));
  });
  const conforms = outcomes.every(({ result }) => result !== "fail");
  print(
    json
      ? JSON.stringify({ conforms, requests: asker.requests, outcomes })
      : `\n${printSummary(outcomes, asker.requests)}`,
  );
  return conforms;
}

async function compare(here: Asker, there: Asker, { json, pages }: Options): Promise<boolean> {
  const comparison = await compareServers(here, there, pages).finally(() => there.end());
  const { questions, differences } = comparison;
  const verdict = differences.length === 0 ? "The servers answer alike." : `${differences.length} differences.`;
  const text = [...differences.map(printDifference), `${questions} questions to each server. ${verdict}`].join("\n");
  process.stdout.write(`${json ? JSON.stringify(comparison) : text}\n`);
  return differences.length === 0;
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    const reason = error instanceof AggregateError ? error.errors[0] : error;
    process.stderr.write(
      `error: ${(reason as Error).message}\nThe server could not be asked. Check its address, and that it runs.\n`,
    );
    process.exitCode = 1;
  }
}
