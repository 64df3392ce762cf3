import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ERROR_MEANINGS, ERRORS, type ErrorCode, MISPLACED_STATUS } from "@credence/contract/errors.ts";
import type { Comparison } from "../bench/src/alternatives/compare.ts";
import { printBesideLimit, printComparison } from "../bench/src/alternatives/report.ts";
import { printFigures, printKeywords, printRequests, readResults } from "../bench/src/report.ts";
import { EPOCH, type Sizes } from "../bench/src/sizes.ts";
import { VARIABLES } from "../service/src/core/config/variables.ts";
import { MAX_OUTSTANDING } from "../service/src/core/http/connections/connection-limits.ts";
import { MAX_ADDRESSES } from "../service/src/core/http/limits/bucket-store.ts";
import { MAX_DELAYED } from "../service/src/core/http/limits/delay.ts";
import { OTHER_POINTS } from "../service/src/core/http/limits/rate-limits.ts";
import { MAX_QUEUED_STATEMENTS } from "../service/src/core/readers/bounded-pool.ts";
import { MAX_WAITING_JOBS } from "../service/src/core/readers/fair-queue.ts";
import { EXIT, EXIT_MEANINGS } from "../service/src/core/terminal/exit-codes.ts";
import { COMPARED_PERSON_POINTS, PAGE_POINTS } from "../service/src/explorer/explorer-points.ts";
import { OTHER_ENDS, RULES } from "../service/src/holders/manage/rules.ts";
import { HOLDER_PAGE_POINTS, HOLDER_REQUEST_POINTS } from "../service/src/holders/serve/holder-path.ts";
import { MAX_WAITING_SIGNATURES } from "../service/src/holders/serve/signature-checks.ts";
import { MAX_COUNTS } from "../service/src/usage/serve/usage-buffer.ts";
import { MAX_CLIENTS } from "../service/src/usage/serve/usage-counter.ts";
import { MAX_QUEUED_LOOK_UPS } from "../service/src/v1/look-ups/coalesce.ts";
import { LOOK_UP_POINTS, pagePoints, SEARCH_POINTS } from "../service/src/v1/v1-points.ts";
import { SERVE_ROLE, urlOf } from "../service/testing/server.ts";
import { serveDatabase, serving } from "../service/testing/serving.ts";
import { clients, failures, settings } from "./compatibility-tables.ts";
import { STORED_DATA } from "./stored-data.ts";

// The tables of documents that repeat what the code decides, or what was measured. `npm run tables`
// writes them.

/** `text` stands before the table. */
type Table = { text?: string; head: string[]; rows: (string | number)[][] };

export const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const number = (value: number): string => value.toLocaleString("en");
const code = (text: string): string => `\`${text}\``;

function errors(): Table {
  const statusOf = (word: string, status: number) =>
    word === "unknown_path" ? `${status} or ${MISPLACED_STATUS}` : status;
  const rows = Object.entries(ERRORS).map(([word, { status, error }]) => [
    ...[statusOf(word, status), code(word), error],
    ERROR_MEANINGS[word as ErrorCode],
  ]);
  return { head: ["Status", "`code`", "`error`", "When, and what to do"], rows };
}

function points(): Table {
  const routes = Map.groupBy(Object.keys(PAGE_POINTS), (route) => PAGE_POINTS[route] ?? 0);
  const pages = [...routes].map(([value, names]) => [names.map(code).join(", "), value]);
  return {
    head: ["Request", "Points"],
    rows: [
      ["a passport, or the credentials of a passport", LOOK_UP_POINTS],
      ["a page of the list", `${[1, 25, 100].map((size) => `${pagePoints(size)} for ${size}`).join(", ")} people`],
      ["the list or the leaderboard with a `keyword`", SEARCH_POINTS],
      ...pages,
      ["`/compare`, for each person", COMPARED_PERSON_POINTS],
      ["`/compare` with a name to add, in addition", SEARCH_POINTS],
      ["a page of `/holder`", HOLDER_PAGE_POINTS],
      ["a signed request: `POST /holder/requests`", HOLDER_REQUEST_POINTS],
      [
        "anything else: unknown paths, badges, the API reference, a refused key, a missing key where one is required, 405, 414",
        OTHER_POINTS,
      ],
      ["health checks, CORS preflights, 410, 429", 0],
    ],
  };
}

/** Of a node with a replica, which has all metrics. */
async function metrics(): Promise<Table> {
  const { name } = await serving([]);
  const { privateAddress } = await serveDatabase(name, { readUrl: urlOf(name, SERVE_ROLE) });
  const text = await (await fetch(`${privateAddress}/metrics`)).text();
  const found = [...text.matchAll(/^# HELP (credence_\w+) (.+)$/gm)];
  const rows = found.map(([, metric = "", help = ""]) => [code(metric), help]);
  return { head: ["Metric", "Meaning"], rows: rows.toSorted() };
}

function exitCodes(): Table {
  const rows = Object.entries(EXIT).map(([name, value]) => [value, EXIT_MEANINGS[name as keyof typeof EXIT]]);
  return { head: ["Code", "Meaning"], rows };
}

function queues(): Table {
  const { client, total } = MAX_WAITING_JOBS;
  const [, unseen = "", ofWallet = ""] =
    /state = 'received'\) >= (\d+)\s+or [^\n]+ state = 'received'\) >= (\d+)/.exec(read("service/schema.sql")) ?? [];
  const statements = Object.entries(MAX_QUEUED_STATEMENTS).map(([pool, limit]) => `${pool} ${limit}`);
  const waiting = `${number(client)} of a client, ${number(total)} in all`;
  const connections = `${VARIABLES.MAX_CONNECTIONS}, ${VARIABLES.MAX_CONNECTIONS_PER_ADDRESS}`;
  return {
    head: ["Queue", "Bound", "Where", "When it is full"],
    rows: [
      [
        "batched look-ups, waiting for the next statement, for each of four kinds",
        ...[number(MAX_QUEUED_LOOK_UPS), "`service/src/v1/look-ups/coalesce.ts`", "503"],
      ],
      [
        "statements waiting for a connection, by pool",
        ...[statements.join(", "), "`service/src/core/readers/bounded-pool.ts`"],
        "503; for `control`, the caller continues with its last values",
      ],
      [
        "list pages waiting",
        waiting,
        "`service/src/core/readers/fair-queue.ts`",
        "503: for a client at its bound; in all, for the newest of the client with the most",
      ],
      ["searches waiting", waiting, "`service/src/core/readers/fair-queue.ts`", "the same"],
      [
        "clients whose spending is known",
        ...[`${number(MAX_ADDRESSES)} addresses, all keys`, "`service/src/core/http/limits/bucket-store.ts`"],
        "new addresses share the bucket of their network",
      ],
      [
        "signatures of holders waiting for their check",
        ...[number(MAX_WAITING_SIGNATURES), "`service/src/holders/serve/signature-checks.ts`", "503"],
      ],
      [
        "requests of holders that no worker has seen",
        ...[`${number(Number(unseen))}; ${ofWallet} of a wallet`, "`enqueue_request`", "503"],
      ],
      [
        "responses that are sent a second late",
        ...[number(MAX_DELAYED), "`service/src/core/http/limits/delay.ts`", "further ones are sent at once"],
      ],
      [
        "requests of one connection",
        ...[number(MAX_OUTSTANDING), "`service/src/core/http/connections/connection-limits.ts`"],
        "the connection closes after its last response",
      ],
      [
        "connections of a node, and of one network (`MAX_CONNECTIONS`, `MAX_CONNECTIONS_PER_ADDRESS`)",
        ...[connections, "`service/src/core/http/connections/connection-limits.ts`"],
        "new connections are closed at once",
      ],
      [
        "usage counts that wait for the primary",
        `${number(MAX_COUNTS)} rows, ${number(MAX_CLIENTS)} clients for each node`,
        "`service/src/usage/serve/usage-buffer.ts`, `service/src/usage/serve/usage-counter.ts`",
        "requests are not counted; their number is logged",
      ],
    ],
  };
}

function storedData(): Table {
  const rows = STORED_DATA.map(({ data, tables, place, purpose, visibleTo, erasure }) => [
    ...[data, place ?? tables.map(code).join(", "), purpose, visibleTo],
    erasure === "deleted" ? "deleted" : Object.values(erasure).join(),
  ]);
  return { head: ["Data", "Tables", "Purpose", "Visible to", "An erasure"], rows };
}

function requestStates(): Table {
  const rows = RULES.map(({ from, when, to }) => [from.join(", "), when, to]);
  return { head: ["State", "When", "Next state"], rows: [...rows, ["each of these", OTHER_ENDS, "refused"]] };
}

const readResult = <Result>(name: string): Result => JSON.parse(read(`bench/results/${name}.json`)) as Result;
const comparison = readResult<Comparison>("comparison");
const runs = await readResults(fileURLToPath(new URL("../bench/results", import.meta.url)));

function sizes(): Table {
  const { people, at, postgres, bytes } = readResult<Sizes>("sizes");
  const perPerson = (size: number) => number(Math.round(size / people));
  return {
    text: `${at.slice(0, 10)}, ${number(people)} people with credentials, PostgreSQL ${postgres}.`,
    head: ["Data, with its indexes", "Bytes per person"],
    rows: [
      ...Object.entries(bytes).map(([part, size]) => [part, perPerson(size)]),
      ["together, with two epochs", perPerson(Object.values(bytes).reduce((sum, size) => sum + size, bytes[EPOCH]))],
    ],
  };
}

const TABLES: readonly (readonly [file: string, name: string, create: () => Table | Promise<Table>])[] = [
  ["docs/API.md", "errors", errors],
  ["docs/API.md", "points", points],
  ["docs/reference/monitoring.md", "metrics", metrics],
  ["docs/reference/settings.md", "exit codes", exitCodes],
  ["docs/RELIABILITY.md", "queues", queues],
  ["docs/PRIVACY.md", "stored data", storedData],
  ["service/src/holders/README.md", "states of requests", requestStates],
  ["docs/PERFORMANCE.md", "the comparison", () => printComparison(comparison)],
  ["docs/PERFORMANCE.md", "the comparison with the limit", () => printBesideLimit(comparison)],
  ["docs/PERFORMANCE.md", "figures", () => printFigures(runs)],
  ["docs/PERFORMANCE.md", "requests", () => printRequests(runs)],
  ["docs/PERFORMANCE.md", "keywords", () => printKeywords(runs)],
  ["docs/reference/tuning.md", "sizes", sizes],
  ["docs/COMPATIBILITY.md", "settings", settings],
  ["docs/COMPATIBILITY.md", "clients", clients],
  ["docs/COMPATIBILITY.md", "failures", failures],
];

export const FILES_WITH_TABLES: readonly string[] = [...new Set(TABLES.map(([file]) => file))];

/** The text of a document with its tables as they should be. */
export async function withTables(file: string): Promise<string> {
  let text = read(file);
  for (const [, name, create] of TABLES.filter(([in_]) => in_ === file)) {
    const begin = `<!-- The table of ${name} is written by \`npm run tables\`. -->\n`;
    const end = `<!-- End of ${name}. -->\n`;
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from === -1 || to === -1) throw new Error(`${file} has no place for the table of ${name}: ${begin}${end}`);
    text = `${text.slice(0, from + begin.length)}\n${print(await create())}\n${text.slice(to)}`;
  }
  return text;
}

function print({ text, head, rows }: Table): string {
  const line = (row: readonly (string | number)[]) => `| ${row.join(" | ")} |\n`;
  const before = text === undefined ? "" : `${text}\n\n`;
  return `${before}${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}
