import { deepStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareData } from "../data.ts";
import { type Bench, column } from "../database.ts";
import type { Target } from "../load.ts";
import { credence, describeMachine, log, OTHER_CORES, run, type Server, serve, startServer } from "../processes.ts";
import { type Case, type Measured, measureRounds } from "../rounds.ts";
import { chooseTargets, listPaths } from "../targets.ts";

export type Comparison = {
  people: number;
  at: string;
  machine?: string;
  node: string;
  postgres: string;
  rounds: number;
  seconds: number;
  /** The share of the time that other virtual machines took. */
  stolen: number;
  cases: Record<string, Measured>;
};

/** Rows that all three answer. */
export const COMPARED = [
  "by id",
  "by wallet",
  "credentials",
  "first page",
  "deep page",
  "rare keyword",
  "common keyword",
] as const;
/** Rows of Credence only, beside the limit: a constant response of the same size with the same headers. */
export const CREDENCE_ONLY = ["warm by id", "304", "404", "401", "page of a person"] as const;

const CONNECTIONS = 32;
/** One search runs at a time in the service. */
const SEARCHES = 8;
const PROGRAMS = { plain: "plain-server.ts", sql: "sql-server.ts" };
const LIMIT_SERVER = fileURLToPath(new URL("../limit-server.ts", import.meta.url));
const CHECKED = 200;

/** The tables of the alternatives. The service does not need them. */
const TABLES = new URL("tables.sql", import.meta.url);

export async function compare(
  databaseServer: string,
  { people, rounds, seconds }: { people: number; rounds: number; seconds: number },
): Promise<Comparison> {
  for (const tool of ["wrk", "taskset"]) await run("which", [tool]);
  const bench = await prepareData(databaseServer, people);
  const [hasTables] = await column<boolean>(bench, "select to_regnamespace('plain') is not null");
  if (!hasTables) {
    log("Creating the tables of the alternatives …");
    await bench.client.query(readFileSync(TABLES, "utf8"));
  }
  await bench.client.query("vacuum analyze");
  await run("taskset", ["-cp", OTHER_CORES, String(process.pid)]);
  const folder = await mkdtemp(join(tmpdir(), "credence-bench-"));
  const targets = await chooseComparedTargets(bench, folder);
  const { stdout: key } = await credence(["keys", "create", "--label", "bench", "--contact", "bench"], bench.url);
  const header = `X-API-KEY: ${key.trim()}`;
  const cold = await serve(bench.url, { CACHE_MAX_AGE: "0s" });
  const warm = await serve(bench.url, {});
  const [plain, sql] = await Promise.all(
    Object.entries(PROGRAMS).map(([name, program]) =>
      startServer([
        process.execPath,
        fileURLToPath(new URL(program, import.meta.url)),
        bench.url,
        `credence serve: ${name}`,
      ]),
    ),
  );
  const servers = { cold, warm, plain: plain as Server, sql: sql as Server };
  const limit = await startLimit(warm, header);
  try {
    await checkAnswers(servers, targets, header);
    const cases: Case[] = [
      ...COMPARED.flatMap((row) =>
        (["cold", "plain", "sql"] as const).map((name): Case => {
          const connections = row.endsWith("keyword") ? SEARCHES : CONNECTIONS;
          return {
            name: `${row}, ${name}`,
            server: servers[name],
            load: { target: targets[row], header, connections },
          };
        }),
      ),
      ...listCredenceCases(servers, limit, targets, header),
    ];
    const before = readTimes();
    const measured = await measureRounds(bench, cases, rounds, seconds);
    const after = readTimes();
    const [postgres = ""] = await column<string>(bench, "show server_version");
    const stolen = (after.stolen - before.stolen) / (after.total - before.total);
    const origin = {
      people,
      at: new Date().toISOString(),
      node: process.version,
      postgres,
      machine: describeMachine(),
    };
    return { ...origin, rounds, seconds, stolen, cases: measured };
  } finally {
    for (const server of [...Object.values(servers), limit]) await server.stop();
    await bench.client.end();
    await rm(folder, { recursive: true });
  }
}

type Servers = Record<"cold" | "warm" | "plain" | "sql", Server>;
type ComparedTargets = Record<(typeof COMPARED)[number] | "popular" | "unknown" | "page of a person", Target>;

async function chooseComparedTargets(bench: Bench, folder: string): Promise<ComparedTargets> {
  const targets = await chooseTargets(bench, folder);
  const write = async (name: string, lines: readonly string[]): Promise<Target> => {
    await writeFile(join(folder, name), `${lines.join("\n")}\n`);
    return { file: join(folder, name) };
  };
  // The alternatives do not show merged people, and fold only ASCII.
  const ordinary = "select passport_id from passport_document join person p using (passport_id) where not p.merged";
  const ids = await column<number>(bench, `${ordinary} order by random() limit 20000`);
  const wallets = await column<string>(
    bench,
    `select address from wallet_owner where passport_id in (${ordinary}) order by random() limit 20000`,
  );
  const rare = await column<string>(
    bench,
    "select distinct split_part(folded_name, ' ', 2) from person where folded_name ~ '^[a-z]+ [a-z]{6,}$' limit 500",
  );
  const common = ["an", "ar", "el", "in", "ma", "on", "er", "ra"];
  const search = (keywords: readonly string[]) =>
    keywords.map((keyword) => `/api/v1/passports?keyword=${encodeURIComponent(keyword)}`);
  return {
    "by id": await write(
      "ids",
      ids.map((id) => `/api/v1/passports/${id}`),
    ),
    "by wallet": await write(
      "addresses",
      wallets.map((address) => `/api/v1/passports/${address}`),
    ),
    credentials: await write(
      "with-credentials",
      ids.map((id) => `/api/v1/passport_credentials?passport_id=${id}`),
    ),
    "first page": await write("first-page", ["/api/v1/passports"]),
    "deep page": targets.lastPage,
    "rare keyword": await write("rare", search(rare)),
    "common keyword": await write("common", search(common)),
    popular: targets.popular,
    unknown: targets.unknown,
    "page of a person": await write(
      "pages",
      ids.map((id) => `/passports/${id}`),
    ),
  };
}

/** The same paths get the same facts from all three. */
async function checkAnswers(servers: Servers, targets: ComparedTargets, header: string): Promise<void> {
  const [, key = ""] = header.split(": ");
  for (const row of COMPARED) {
    const paths = (await listPaths([targets[row]])).slice(0, CHECKED);
    for (const path of paths) {
      const [expected, ...others] = await Promise.all(
        [servers.cold, servers.plain, servers.sql].map(async ({ address }) => {
          const response = await fetch(address + path, { headers: { "x-api-key": key } });
          return omitLastPage((await response.json()) as Answer);
        }),
      );
      for (const answer of others) deepStrictEqual(answer, expected, `${path} has another answer`);
    }
    log(`${row}: ${paths.length} answers are the same`);
  }
}

type Answer = { pagination?: { last_page?: number } };

/** V1 shows a limited number of pages of a common keyword, which the alternatives do not know. */
function omitLastPage(answer: Answer): Answer {
  if (answer.pagination !== undefined) delete answer.pagination.last_page;
  return answer;
}

type LimitServer = Server & { path: string };

/** A constant response of the size of a passport, with the headers of V1. */
async function startLimit({ address }: Server, header: string): Promise<LimitServer> {
  const [, key = ""] = header.split(": ");
  const response = await fetch(`${address}/api/v1/passports/1`, { headers: { "x-api-key": key } });
  const { byteLength } = await response.arrayBuffer();
  const headers = [...response.headers].filter(([name]) => !/^(date|connection|keep-alive|content-)/.test(name));
  const environment = { LIMIT_HEADERS: JSON.stringify(headers) };
  const server = await startServer([process.execPath, LIMIT_SERVER, String(byteLength)], environment);
  return { ...server, path: `/${byteLength}` };
}

function listCredenceCases(servers: Servers, limit: LimitServer, targets: ComparedTargets, header: string): Case[] {
  const caseOf = (name: string, server: Server, target: Target, sent = header): Case => ({
    ...{ name, server },
    load: { target, header: sent, connections: CONNECTIONS },
  });
  return [
    caseOf("limit", limit, { path: limit.path, maxN: 1 }),
    caseOf("warm by id", servers.warm, targets.popular),
    caseOf("304", servers.warm, targets.popular, "If-None-Match: *"),
    caseOf("404", servers.cold, targets.unknown),
    caseOf("401", servers.warm, targets["by id"], "X-API-KEY: not-a-key"),
    caseOf("page of a person", servers.cold, targets["page of a person"]),
  ];
}

/** The time of all cores so far, and what other virtual machines took of it. */
function readTimes(): { total: number; stolen: number } {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const fields = line.trim().split(/\s+/).slice(1).map(Number);
  return { total: fields.slice(0, 8).reduce((sum, field) => sum + field, 0), stolen: fields[7] ?? 0 };
}
