import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { Command } from "commander";
import type { RunningServer } from "#app/serve/start-server.ts";
import { workOnRequests } from "#app/work/work.ts";
import { type AuthMode, type Config, type Environment, readConfig } from "#core/config/config.ts";
import { isLoopback } from "#core/config/config-values.ts";
import type { Database } from "#core/database/database.ts";
import { codeOf } from "#core/database/failures.ts";
import { migrate } from "#core/database/migrations.ts";
import { requireUtf8, withAnyDatabase, withDatabase } from "#core/process/connect.ts";
import { STDERR } from "#core/process/log.ts";
import { Failure } from "#core/terminal/failure.ts";
import { asVariables, type ListenOptions, withListenOptions } from "#core/terminal/listen-options.ts";
import { paint, printMessage, printResult } from "#core/terminal/output.ts";
import type { OutputStream, Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { type DemoDatabase, openDemoDatabase, removeOwnServer } from "#demo/demo-database.ts";
import { DEMO_HOLDER_ID } from "#demo/demo-holder.ts";
import { DEMO_SIZE } from "#demo/invent/population.ts";
import { holderSettings } from "#holders/manage/settings.ts";
import type { DemoWallet } from "#holders/proof/create-wallet.ts";
import { createWallet } from "#holders/proof/create-wallet.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { loadDemoPeople, refuseOtherPeople } from "./demo-people.ts";

export const demoCommand = (terminal: Terminal): Command =>
  withListenOptions(new Command("demo").description("create a database with invented people and serve it"))
    .option("--remove", "delete the PostgreSQL that the demo has started on this machine, and end")
    .addHelpText(
      "after",
      `
Uses the database in DATABASE_URL, or \`credence_demo\` on the PostgreSQL of this machine; creates it if it does not
exist. Without a PostgreSQL, starts one of its own, if the npm package with its programs is installed. Refuses a
database with people that the demo did not load. The private port is 9090, or any other if that is in use.
No key is needed, and an unknown one gets 401; to try an app that has a key of an old server, set AUTH_MODE=open.
Requests of holders are on, with a grace period of one minute; on loopback, a wallet of the demo signs them. Each start
forgets what holders asked for before.

Examples:
  $ credence demo
  $ DATABASE_URL=postgres://me@localhost/try_credence credence demo --port 9000`,
    )
    .action(({ remove, ...options }: Options) => (remove ? removeOwn(terminal) : demo(terminal, options)));

type Options = ListenOptions & { remove?: true };

async function removeOwn(terminal: Terminal): Promise<void> {
  const folder = await removeOwnServer(terminal.environment);
  printMessage(terminal, folder === null ? "The demo has no PostgreSQL on this machine." : `Removed ${folder}.`);
}

async function demo(terminal: Terminal, options: ListenOptions): Promise<void> {
  const config = await configOf(terminal.environment, options);
  await requireFreePort(config);
  const wallet = createDemoWallet(config);

  const opened = await openDemoDatabase(config.databaseUrl, terminal.environment, (folder) =>
    printMessage(terminal, `This machine runs no PostgreSQL. Starting one in ${folder}.`),
  );
  try {
    await prepare(terminal, opened, wallet);
    const statusCommand = describeStatus(config, opened.url);
    await serve(terminal, { ...config, databaseUrl: opened.url }, { isOwn: opened.isOwn, statusCommand, wallet });
  } finally {
    await opened.stop();
  }
}

/** Loads the people, unless the database has others. */
async function prepare(terminal: Terminal, { url, isNew }: DemoDatabase, wallet: DemoWallet | null): Promise<void> {
  printMessage(terminal, `${isNew ? "Created" : "Using"} the database ${new URL(url).pathname.slice(1)}.`);
  const check = async (database: Database) => {
    await requireUtf8(database);
    await refuseOtherPeople(database);
  };
  await withAnyDatabase(terminal, "demo", check, url);
  await migrate(url);
  await withDatabase(terminal, "demo", (database) => loadDemoPeople(database, wallet), { url });
  printMessage(terminal, `Loaded ${DEMO_SIZE} invented people and built the list.`);
}

type Extras = { isOwn: boolean; statusCommand: (privateAddress: string) => string; wallet: DemoWallet | null };

async function serve(
  terminal: Terminal,
  config: Config & { databaseUrl: string },
  { isOwn, statusCommand, wallet }: Extras,
): Promise<void> {
  const { runServer } = await import("#app/serve/run-server.ts");
  const logLevel = config.logLevel === "info" ? "warn" : config.logLevel;
  const stop = new AbortController();
  const work = (database: Database) => verifyRequests(terminal, database, config, stop.signal);
  const working = withDatabase(terminal, "demo", work, { url: config.databaseUrl });
  const onReady = ({ address, privateAddress }: RunningServer) => {
    const end = isOwn
      ? "Stop with Ctrl-C. Its PostgreSQL stops too; `credence demo --remove` deletes it."
      : "Stop with Ctrl-C. The database is not removed.";
    const status = statusCommand(privateAddress);
    const text = welcome(terminal.stdout, config, { address, privateAddress, status, wallet });
    printResult(terminal, false, null, `${text}\n${end}`);
  };
  const demoConfig = { ...config, logLevel, isDemo: true };
  await runServer(demoConfig, STDERR, onReady, wallet).finally(() => stop.abort());
  await working;
}

/** So that somebody who is shown again is in the list soon. */
const LIST_MAX_AGE_MS = 1_000;

/** The key of the demo is known to this process only, so it does the work of `credence work`. */
function verifyRequests(terminal: Terminal, database: Database, config: Config, signal: AbortSignal): Promise<void> {
  const onFailure = (job: string, error: unknown) =>
    printMessage(terminal, `${job}: ${printable((error as Error).message)}`);
  const requests = { holders: holderSettings(config), onRequests: () => {}, signal, onFailure };
  return workOnRequests(database, requests, {
    refreshStanding: () => refreshStanding(database),
    onStanding: () => {},
    standingMaxAgeMs: LIST_MAX_AGE_MS,
    onFailure,
  });
}

/** An erasure can be cancelled, and watched to its end. */
const DEMO_GRACE_MS = 60_000;

/**
 * Requests of holders are on unless they are set, signed for the demo's own URL, under keys of this run.
 */
async function configOf(variables: Environment, options: ListenOptions): Promise<Config> {
  const environment: Environment = { ...variables, ...asVariables(options) };
  const { publicUrl, holderKeys, optOutKeys, privateHost, privatePort } = readConfig(environment);
  const isPrivatePortFree = await isFree(privateHost, privatePort);
  const createKey = () => randomBytes(32).toString("hex");
  const config = readConfig({
    ...environment,
    ...(!isPrivatePortFree && { PRIVATE_PORT: "0" }),
    PUBLIC_URL: publicUrl,
    HOLDER_KEY: holderKeys.join(",") || createKey(),
    HOLDER_KEY_FILE: "",
    HOLDER_REQUESTS: environment.HOLDER_REQUESTS || "on",
    ...(optOutKeys.length === 0 && { OPT_OUT_KEY: createKey() }),
  });
  return environment.ERASE_GRACE ? config : { ...config, eraseGraceMs: DEMO_GRACE_MS };
}

/** With a random key, which stays in this process. Not for other machines: everybody there could sign. */
const createDemoWallet = ({ host, holderRequests }: Config): DemoWallet | null =>
  isLoopback(host) && holderRequests !== "off" ? { ...createWallet(), passportId: DEMO_HOLDER_ID } : null;

/** Reports a port that is in use before the people are loaded, which takes seconds. */
async function requireFreePort({ host, port }: Config): Promise<void> {
  if (await isFree(host, port)) return;
  throw new Failure(
    `Port ${port} of ${host} is in use, perhaps by another \`credence demo\`.`,
    `Stop that program, or choose another port: credence demo --port ${port < 65_535 ? port + 1 : 8080}`,
  );
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

const KEY_NOTES = {
  open: "Any X-API-KEY is accepted, also one of an old server: AUTH_MODE is open.",
  optional:
    "No key is needed, and an unknown one gets 401. To accept keys of an old server: AUTH_MODE=open credence demo",
  required: "Every request needs a key (`credence keys create`): AUTH_MODE is required.",
} as const satisfies Record<AuthMode, string>;

/** The command that asks this demo from another terminal, which has the variables of this one only if they were set. */
const describeStatus =
  ({ databaseUrl, nodes }: Config, url: string) =>
  (privateAddress: string): string => {
    const { host } = new URL(privateAddress);
    const variables = [
      ...(databaseUrl === null ? [`DATABASE_URL='${url}'`] : []),
      ...(nodes.includes(host) ? [] : [`NODES=${host}`]),
    ];
    return [...variables, "credence status"].join(" ");
  };

type Welcome = { address: string; privateAddress: string; status: string; wallet: DemoWallet | null };

function welcome(
  stdout: OutputStream,
  { authMode }: Config,
  { address, privateAddress, status, wallet }: Welcome,
): string {
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
  ${status}

${wallet === null ? "" : `${heading("Be a holder: hide, show or erase a record, with a wallet that signs by a button")}\n  ${address}/holder?edit=form&wallet=${wallet.address}\n\n`}${KEY_NOTES[authMode]}`;
}
