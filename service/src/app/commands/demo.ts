import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { Command } from "commander";
import { workOnRequests } from "#app/work/work.ts";
import { type AuthMode, type Config, type Environment, readConfig } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { codeOf } from "#core/database/failures.ts";
import { migrate } from "#core/database/migrations.ts";
import { ensureDatabase } from "#core/database/server.ts";
import { requireUtf8, withAnyDatabase, withDatabase } from "#core/process/connect.ts";
import { STDERR } from "#core/process/log.ts";
import { Failure } from "#core/terminal/failure.ts";
import { asVariables, type ListenOptions, withListenOptions } from "#core/terminal/listen-options.ts";
import { paint, printMessage, printResult } from "#core/terminal/output.ts";
import type { OutputStream, Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { findDemoMark, writeDemoMark } from "#demo/demo-mark.ts";
import { DEMO_SIZE, inventDemoPeople } from "#demo/invent/population.ts";
import { holderSettings } from "#holders/manage/settings.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";

const SOCKET_FOLDER = "/var/run/postgresql";
const DEMO_NOTE = "Invented people, loaded by credence demo.";

export const demoCommand = (terminal: Terminal): Command =>
  withListenOptions(new Command("demo").description("create a database with invented people and serve it"))
    .addHelpText(
      "after",
      `
Needs only a PostgreSQL server. Uses the database in DATABASE_URL, or \`credence_demo\` on this machine; creates it if it
does not exist. Refuses a database with people that the demo did not load. The private port is any free port.
No key is needed, and an unknown one gets 401; to try an app that has a key of an old server, set AUTH_MODE=open.

Examples:
  $ credence demo
  $ DATABASE_URL=postgres://me@localhost/try_credence credence demo --port 9000`,
    )
    .action((options: ListenOptions) => demo(terminal, options));

async function demo(terminal: Terminal, options: ListenOptions): Promise<void> {
  const config = configOf(terminal.environment, options);
  const databaseUrl = config.databaseUrl ?? defaultUrl();
  await requireFreePort(config);

  const isNew = await ensureDatabase(databaseUrl);
  printMessage(terminal, `${isNew ? "Created" : "Using"} the database ${new URL(databaseUrl).pathname.slice(1)}.`);
  const check = async (database: Database) => {
    await requireUtf8(database);
    await refuseOtherPeople(database);
  };
  await withAnyDatabase(terminal, "demo", check, databaseUrl);
  await migrate(databaseUrl);
  await withDatabase(terminal, "demo", loadPeople, { url: databaseUrl });
  printMessage(terminal, `Loaded ${DEMO_SIZE} invented people and built the list.`);

  const { runServer } = await import("#app/serve/run-server.ts");
  const logLevel = config.logLevel === "info" ? "warn" : config.logLevel;
  const stop = new AbortController();
  const working = withDatabase(
    terminal,
    "demo",
    (database) => verifyRequests(terminal, database, config, stop.signal),
    { url: databaseUrl },
  );
  await runServer({ ...config, databaseUrl, logLevel, isDemo: true }, STDERR, ({ address, privateAddress }) => {
    printResult(terminal, false, null, welcome(terminal.stdout, config, address, privateAddress));
  }).finally(() => stop.abort());
  await working;
}

/** The key of the demo is known to this process only, so it does the work of `credence work`. */
function verifyRequests(terminal: Terminal, database: Database, config: Config, signal: AbortSignal): Promise<void> {
  const onFailure = (job: string, error: unknown) =>
    printMessage(terminal, `${job}: ${printable((error as Error).message)}`);
  return workOnRequests(database, { holders: holderSettings(config), onRequests: () => {}, signal, onFailure });
}

/** With requests of holders: signed for the demo's own URL, under a key of this run. */
function configOf(variables: Environment, options: ListenOptions): Config {
  const environment = { ...variables, ...asVariables(options), PRIVATE_PORT: "0" };
  const { publicUrl, holderKeys } = readConfig(environment);
  const key = holderKeys.join(",") || randomBytes(32).toString("hex");
  return readConfig({ ...environment, PUBLIC_URL: publicUrl, HOLDER_KEY: key, HOLDER_KEY_FILE: "" });
}

/** Reports a port that is in use before the people are loaded, which takes seconds. */
async function requireFreePort({ host, port }: Config): Promise<void> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    throw new Failure(
      `Port ${port} of ${host} is in use, perhaps by another \`credence demo\`.`,
      `Stop that program, or choose another port: credence demo --port ${port < 65_535 ? port + 1 : 8080}`,
    );
  }
  server.close();
  await once(server, "close");
}

/** The server that psql would use: the local socket if it exists, else the loopback port. */
function defaultUrl(): string {
  const user = encodeURIComponent(userInfo().username);
  return existsSync(`${SOCKET_FOLDER}/.s.PGSQL.5432`)
    ? `postgres:///credence_demo?host=${SOCKET_FOLDER}&user=${user}`
    : `postgres://${user}@127.0.0.1:5432/credence_demo`;
}

/** Accepts an empty database, or one with the people of an earlier demo. */
async function refuseOtherPeople(database: Database): Promise<void> {
  const stored = await findDemoMark(database);
  if (stored.highestId === 0 || (stored.comment === DEMO_NOTE && stored.highestId <= DEMO_SIZE)) return;
  throw new Failure(
    "This database contains people that the demo did not load.",
    "Set DATABASE_URL to another database, or unset it to use `credence_demo`.",
  );
}

async function loadPeople(database: Database): Promise<void> {
  await writeDemoMark(database, DEMO_NOTE);
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
}

const KEY_NOTES = {
  open: "Any X-API-KEY is accepted, also one of an old server: AUTH_MODE is open.",
  optional:
    "No key is needed, and an unknown one gets 401. To accept keys of an old server: AUTH_MODE=open credence demo",
  required: "Every request needs a key (`credence keys create`): AUTH_MODE is required.",
} as const satisfies Record<AuthMode, string>;

function welcome(stdout: OutputStream, { authMode }: Config, address: string, privateAddress: string): string {
  const heading = (text: string) => paint("bold", text, stdout);
  return `
${heading("Credence is serving")}
  Explorer       ${address}/
  V1             ${address}/api/v1/passports
  API reference  ${address}/docs
  Metrics        ${privateAddress}/metrics

${heading("Try")}
  curl -s '${address}/api/v1/passports?keyword=ada&per_page=1'
  curl -s ${address}/api/v1/passports/1
  curl -s '${address}/api/v1/passport_credentials?passport_id=1'

${KEY_NOTES[authMode]}
Stop with Ctrl-C. The database is not removed.`;
}
