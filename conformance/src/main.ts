import { text } from "node:stream/consumers";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Level } from "./clause.ts";
import { Client } from "./client.ts";
import { ACCEPTABLE, type Acceptable } from "./replay/accepted-differences.ts";
import { compareServers, UnusableFile } from "./replay/command.ts";
import { adviseOnUnreadableList, printOutcome, printSummary } from "./report.ts";
import { clausesOf, runClauses } from "./run.ts";

type Options = {
  key?: string;
  compareKey?: string;
  prefix?: string;
  level: Level;
  json?: boolean;
  rate?: number;
  timeout: number;
  compare?: string;
  pages: number;
  requests?: string | null;
  parameters?: string[];
  showValues?: boolean;
  strict?: boolean;
  accept?: Acceptable[];
};

const RATE = 20;
// A comparison is long, and the old server has other clients.
const COMPARE_RATE = 5;
const INTERRUPTED = 130;
const OTHER_PREFIX = 3;
const ACCEPTS_UNKNOWN_KEYS = 4;

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

const parsePrefix = (argument: string): string => {
  if (!/^(?:\/[\w.-]+)+$/.test(argument)) throw new InvalidArgumentError("Expected a path such as /api/v2.");
  return argument;
};

const parseNames = (argument: string): string[] => argument.split(",").filter((name) => name !== "");

const parseAccepted = (argument: string, before: Acceptable[] = []): Acceptable[] => {
  const kind = ACCEPTABLE.find((known) => known === argument);
  if (kind === undefined) throw new InvalidArgumentError(`Expected one of ${ACCEPTABLE.join(", ")}.`);
  return [...new Set([...before, kind])];
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
  .option("--compare <base-url>", "compare with the server of this URL, which is to replace the first", parseBaseUrl)
  .option("--compare-key <key>", "the X-API-KEY of the second server; --key is not sent to it", parseKey)
  .option("--prefix <path>", "the path of V1 on the server, and on that of --compare, instead of /api/v1", parsePrefix)
  .option(
    "--pages <number>",
    "with --compare: compare the people on this number of pages of the list",
    parsePositive,
    2,
  )
  .option(
    "--requests <file>",
    "with --compare: send the requests of an access log or a list of paths; - reads standard input",
  )
  .option("--parameters <names>", "with --compare: other query parameters to send, separated by commas", parseNames)
  .option("--show-values", "with --compare: print names, wallets, ids and other values instead of masking them")
  .option(
    "--accept <kind>",
    `with --compare: differences of this kind do not count: ${ACCEPTABLE.join(", ")}; can be repeated`,
    parseAccepted,
  )
  .option("--strict", "with --compare: differences that follow from documented decisions count too")
  .option(
    "--rate <number>",
    `the maximum number of requests a second to each server (default: ${RATE}, with --compare ${COMPARE_RATE})`,
    parsePositive,
  )
  .option("--timeout <ms>", "the timeout of a request", parsePositive, 10_000)
  .option("--json", "print the result as JSON")
  .showHelpAfterError("Add --help for usage.")
  .addHelpText(
    "after",
    `
The checks send about 100 requests. At most three requests run at the same time. The checks also send POST, PUT, PATCH and DELETE without
the key, which the server must reject. With --level spec they send only GET.

With --compare, <base-url> is the old server and --compare the new one. The requests are those for the people on
the first pages of the list, or with --requests those of FILE, an access log in combined format or a list of paths,
one per line. Only GET and HEAD requests to the three endpoints of V1 are sent, each
distinct request once, with the keys of --key and --compare-key. Of the query only the parameters of V1 are
sent. The old server is asked before and after the new one. Differences are in form or in data; a difference
in data is explained if the old server disagrees with itself or calculated the person later. Ctrl-C prints the
report so far.

Examples:
  $ credence-conformance http://localhost:8080
  $ credence-conformance https://v1.example --level spec --json
  $ credence-conformance https://old.example --key - --compare http://localhost:8080 < old-key.txt
  $ credence-conformance https://old.example --compare http://localhost:8080 --requests access.log

Exit codes:
  0  no check failed; with --compare: no difference in form, and every one in data is explained,
     but those of a kind that --accept names
  1  a check failed, the servers differ, or a request failed
  2  invalid usage, or a FILE without requests of V1
  3  no such difference, but more than 1 % of the lines that ask for V1 do so under another prefix
  4  no check failed, but the server accepts unknown keys
  130  interrupted`,
  )
  .exitOverride()
  .action(async (url: string, options: Options) => {
    rejectContradictions(options);
    const interrupt = new AbortController();
    const connect = async (baseUrl: string, keyOption: string | undefined) => {
      const key = keyOption === "-" ? (await text(process.stdin)).trim() : keyOption;
      const maxRequestsPerSecond = options.rate ?? (options.compare === undefined ? RATE : COMPARE_RATE);
      const { timeout: timeoutMs, prefix } = options;
      return new Client({ baseUrl, prefix, key, maxRequestsPerSecond, timeoutMs, signal: interrupt.signal });
    };
    const client = await connect(url, options.key);
    const second = options.compare === undefined ? null : await connect(options.compare, options.compareKey);
    try {
      if (second === null) process.exitCode = await check(client, options);
      else process.exitCode = await compare([client, url], [second, options.compare ?? ""], options, interrupt);
    } finally {
      client.close();
      second?.close();
    }
  });

function rejectContradictions({
  requests,
  compare,
  parameters,
  showValues,
  strict,
  accept,
  key,
  compareKey,
}: Options): void {
  if (requests !== undefined && compare === undefined)
    program.error("error: --requests needs --compare, the URL of the new server.");
  if (compare === undefined && (parameters !== undefined || showValues || strict || accept !== undefined))
    program.error("error: --parameters, --show-values, --strict and --accept need --compare.");
  if (requests === "-" && [key, compareKey].includes("-"))
    program.error("error: Standard input cannot contain both a key and the requests. Write the requests to a file.");
}

async function compare(
  [oldClient, oldUrl]: [Client, string],
  [newClient, newUrl]: [Client, string],
  {
    requests = null,
    pages,
    parameters = [],
    showValues = false,
    json = false,
    strict = false,
    key,
    compareKey,
    prefix = "/api/v1",
    accept = [],
  }: Options,
  interrupt: AbortController,
): Promise<number> {
  // A second signal ends the process at once.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interrupt.abort());
  const { isSafe, stopped, underOtherPrefix } = await compareServers(
    {
      file: requests,
      pages,
      old: { client: oldClient, url: oldUrl, hasKey: key !== undefined },
      new: { client: newClient, url: newUrl, hasKey: compareKey !== undefined },
      ...{ prefix, parameters, showValues, json, isStrict: strict, accepted: accept },
      signal: interrupt.signal,
    },
    print,
  );
  if (interrupt.signal.aborted) return INTERRUPTED;
  if (!isSafe || stopped !== null) return 1;
  return underOtherPrefix > 0 ? OTHER_PREFIX : 0;
}

async function check(client: Client, { level, json, key }: Options): Promise<number> {
  const outcomes = await runClauses(client, clausesOf(level), { hasKey: key !== undefined }, (outcome) => {
    if (!json) print(printOutcome(outcome));
  });
  const requests = client.requestCount;
  const conforms = outcomes.every(({ result }) => result !== "fail");
  print(json ? JSON.stringify({ conforms, requests, outcomes }) : `\n${printSummary(outcomes, requests)}`);
  const advice = adviseOnUnreadableList(outcomes);
  if (advice !== null) process.stderr.write(`${advice}\n`);
  if (!conforms) return 1;
  return outcomes.some(({ result }) => result === "open") ? ACCEPTS_UNKNOWN_KEYS : 0;
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
  } else if (error instanceof UnusableFile) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`error: ${(error as Error).message}\nCheck the URL, and that the server is running.\n`);
    process.exitCode = 1;
  }
}
