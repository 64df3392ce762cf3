import { text } from "node:stream/consumers";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Level } from "./clause.ts";
import { Client } from "./client.ts";
import { compareServers } from "./compare.ts";
import { adviseOnUnreadableList, printDifferences, printOutcome, printSummary } from "./report.ts";
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

const parseBaseUrl = (argument: string): string => {
  if (!/^https?:$/.test(URL.parse(argument)?.protocol ?? ""))
    throw new InvalidArgumentError("Expected a URL such as http://localhost:8080.");
  return argument;
};
const parsePositive = (argument: string): number => {
  const value = Number(argument);
  if (!(value > 0)) throw new InvalidArgumentError("Expected a number above 0.");
  return value;
};
const parseKey = (argument: string): string => {
  if (!/^[\x21-\x7e]+$/.test(argument))
    throw new InvalidArgumentError("Expected a key, or - to read it from standard input.");
  return argument;
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const program = new Command("credence-conformance")
  .description("Checks whether a server conforms to the deprecated V1 Passport and Credentials API.")
  .argument("<base-url>", "the URL of the server, without /api/v1", parseBaseUrl)
  .option("--key <key>", "the X-API-KEY to send; - reads it from standard input", parseKey)
  .addOption(
    new Option(
      "--level <level>",
      "spec: only the specification; credence: also Credence's decisions where it is silent",
    )
      .choices(["spec", "credence"])
      .default("credence"),
  )
  .option("--compare <base-url>", "send the same requests to a second server and print the differences", parseBaseUrl)
  .option("--compare-key <key>", "the X-API-KEY of the second server; --key is not sent to it", parseKey)
  .option("--pages <number>", "with --compare: the number of pages of the list to compare", parsePositive, 2)
  .option("--rate <number>", "the maximum number of requests a second", parsePositive, 20)
  .option("--timeout <ms>", "the timeout of a request", parsePositive, 10_000)
  .option("--json", "print the result as JSON")
  .showHelpAfterError("Add --help for usage.")
  .addHelpText(
    "after",
    `
The checks send about 100 requests. A comparison sends about three requests for each person on the compared
pages. At most three requests run at the same time. The checks also send POST, PUT, PATCH and DELETE without
the key, which the server must reject. With --level spec they send only GET.

Examples:
  $ credence-conformance http://localhost:8080
  $ credence-conformance https://v1.example --level spec --json
  $ credence-conformance http://localhost:8080 --compare https://old.example --compare-key - < old-key.txt

Exit codes:
  0  no check failed, or the servers do not differ
  1  a check failed, the servers differ, or a request failed
  2  invalid usage`,
  )
  .exitOverride()
  .action(async (url: string, options: Options) => {
    const connect = async (baseUrl: string, keyOption: string | undefined) => {
      const key = keyOption === "-" ? (await text(process.stdin)).trim() : keyOption;
      return new Client({ baseUrl, key, maxRequestsPerSecond: options.rate, timeoutMs: options.timeout });
    };
    const client = await connect(url, options.key);
    try {
      const succeeded =
        options.compare === undefined
          ? await check(client, options)
          : await compare(client, await connect(options.compare, options.compareKey), options);
      process.exitCode = succeeded ? 0 : 1;
    } finally {
      client.close();
    }
  });

async function check(client: Client, { level, json, key }: Options): Promise<boolean> {
  const outcomes = await runClauses(client, clausesOf(level), key !== undefined, (outcome) => {
    if (!json) print(printOutcome(outcome));
  });
  const requests = client.requestCount;
  const conforms = outcomes.every(({ result }) => result !== "fail");
  print(json ? JSON.stringify({ conforms, requests, outcomes }) : `\n${printSummary(outcomes, requests)}`);
  const advice = adviseOnUnreadableList(outcomes);
  if (advice !== null) process.stderr.write(`${advice}\n`);
  return conforms;
}

async function compare(first: Client, second: Client, { json, pages }: Options): Promise<boolean> {
  const comparison = await compareServers(first, second, pages).finally(() => second.close());
  const { requests, people, differences } = comparison;
  const responses = new Set(differences.map(({ request }) => request)).size;
  const verdict =
    differences.length === 0
      ? "The servers do not differ."
      : `${differences.length} differences in ${responses} responses.`;
  const summary = `${requests} requests to each server, ${people} people. ${verdict}`;
  print(json ? JSON.stringify(comparison) : [...printDifferences(differences), summary].join("\n"));
  return differences.length === 0;
}

// A reader such as `head` may close the pipe early. That is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`error: ${(error as Error).message}\nCheck the URL, and that the server is running.\n`);
    process.exitCode = 1;
  }
}
