#!/usr/bin/env node
import { text } from "node:stream/consumers";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { Asker } from "./asker.ts";
import type { Level } from "./clause.ts";
import { compareServers } from "./compare.ts";
import { adviseOnUnread, printDifferences, printOutcome, printSummary } from "./report.ts";
import { clausesOf, runClauses } from "./run.ts";

type Options = {
  key?: string;
  compareKey?: string;
  level: Level;
  json?: boolean;
  rate: number;
  timeout: number;
  compare?: string;
  pages: number;
};

const baseUrl = (given: string): string => {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("Give an address such as http://localhost:8080.");
  return given;
};
const positive = (given: string): number => {
  const value = Number(given);
  if (!(value > 0)) throw new InvalidArgumentError("Give a number above 0.");
  return value;
};
const key = (given: string): string => {
  if (!/^[\x21-\x7e]+$/.test(given)) throw new InvalidArgumentError("Give a key, or - to read it from standard input.");
  return given;
};

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const program = new Command("credence-conformance")
  .description("Checks whether a server speaks the deprecated V1 Passport and Credentials API.")
  .argument("<base-url>", "where the server is; /api/v1/… is added", baseUrl)
  .option(
    "--key <key>",
    "send this X-API-KEY with every question that is not about keys; - reads it from standard input",
    key,
  )
  .addOption(
    new Option(
      "--level <level>",
      "spec: the specification's own words; credence: also what it leaves open, as Credence settles it",
    )
      .choices(["spec", "credence"])
      .default("credence"),
  )
  .option("--compare <base-url>", "ask another server the same questions, and show where the answers differ", baseUrl)
  .option("--compare-key <key>", "the other server's key; --key is not sent there", key)
  .option("--pages <number>", "with --compare: how many pages of the list to walk, with everyone on them", positive, 2)
  .option("--rate <number>", "requests a second, at the most", positive, 20)
  .option("--timeout <ms>", "how long to wait for an answer", positive, 10_000)
  .option("--json", "print the result as JSON")
  .showHelpAfterError("Add --help to see how it is used.")
  .addHelpText(
    "after",
    `
All checks take about 100 requests, a comparison about three for everyone on the pages walked; at most three at once. Without its key,
the server is also sent POST, PUT, PATCH and DELETE, to see them refused; --level spec sends GET alone.

Examples:
  $ credence-conformance http://localhost:8080
  $ credence-conformance https://v1.example --level spec --json
  $ credence-conformance http://localhost:8080 --compare https://old.example --compare-key - < old-key.txt

Exit codes:
  0  no check failed, or the servers answer alike
  1  a check failed, the servers differ, or a server could not be asked
  2  wrong usage`,
  )
  .exitOverride()
  .action(async (url: string, options: Options) => {
    const open = async (baseUrl: string, given: string | undefined) => {
      const key = given === "-" ? (await text(process.stdin)).trim() : given;
      return new Asker({ baseUrl, key, rate: options.rate, timeoutMs: options.timeout });
    };
    const asker = await open(url, options.key);
    try {
      const fine =
        options.compare === undefined
          ? await check(asker, options)
          : await compare(asker, await open(options.compare, options.compareKey), options);
      process.exitCode = fine ? 0 : 1;
    } finally {
      asker.end();
    }
  });

async function check(asker: Asker, { level, json, key }: Options): Promise<boolean> {
  const outcomes = await runClauses(asker, clausesOf(level), key !== undefined, (outcome) => {
    if (!json) print(printOutcome(outcome));
  });
  const conforms = outcomes.every(({ result }) => result !== "fail");
  print(
    json
      ? JSON.stringify({ conforms, requests: asker.requests, outcomes })
      : `\n${printSummary(outcomes, asker.requests)}`,
  );
  const advice = adviseOnUnread(outcomes);
  if (advice !== null) process.stderr.write(`${advice}\n`);
  return conforms;
}

async function compare(here: Asker, there: Asker, { json, pages }: Options): Promise<boolean> {
  const comparison = await compareServers(here, there, pages).finally(() => there.end());
  const { questions, people, differences } = comparison;
  const answers = new Set(differences.map(({ question }) => question)).size;
  const verdict =
    differences.length === 0
      ? "The servers answer alike."
      : `${answers} answers differ, in ${differences.length} places.`;
  const about = `${questions} questions to each server, about ${people} people. ${verdict}`;
  print(json ? JSON.stringify(comparison) : [...printDifferences(differences), about].join("\n"));
  return differences.length === 0;
}

// A reader such as `head` may leave early: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`error: ${(error as Error).message}\nCheck the address, and that the server runs.\n`);
    process.exitCode = 1;
  }
}
