import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { Command } from "commander";
import { Failure } from "#cli/terminal/failure.ts";
import { paint, STDERR, say } from "#cli/terminal/output.ts";
import { type Config, processEnvironment, readConfig } from "#config.ts";
import { DEMO_SIZE, inventDemoPeople } from "#invent/demo.ts";
import { refreshStanding } from "#operations/standing/refresh-standing.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { requireUtf8, withAnyDatabase, withDatabase } from "#process/connect.ts";
import type { Database } from "#store/engine/database.ts";
import { codeOf } from "#store/engine/failures.ts";
import { migrate } from "#store/engine/migrations.ts";
import { ensureDatabase } from "#store/engine/server.ts";
import { findDemoMark, writeDemoMark } from "#store/people/demo-mark.ts";
import { asVariables, type ListenOptions, listening } from "./listen-options.ts";

const SOCKETS = "/var/run/postgresql";
const DEMO_NOTE = "Invented people, loaded by credence demo.";

export const demoCommand = (): Command =>
  listening(new Command("demo").description("try it: make a database with invented people and serve it"))
    .addHelpText(
      "after",
      `
Needs only a PostgreSQL. Uses the database in DATABASE_URL, or \`credence_demo\` on this machine; makes it if it is not there.
Refuses a database that holds other people than the demo's own. The private port is any free one.

Examples:
  $ credence demo
  $ DATABASE_URL=postgres://me@localhost/try_credence credence demo --port 9000`,
    )
    .action(demo);

async function demo(flags: ListenOptions): Promise<void> {
  const config = readConfig({ ...processEnvironment(), ...asVariables(flags), PRIVATE_PORT: "0" });
  const databaseUrl = config.databaseUrl ?? defaultUrl();
  await requireFreePort(config);

  const made = await ensureDatabase(databaseUrl);
  say(`${made ? "Made" : "Using"} the database ${new URL(databaseUrl).pathname.slice(1)}.`);
  await withAnyDatabase(databaseUrl, "demo", async (database) => {
    await requireUtf8(database);
    await refuseOtherPeople(database);
  });
  await migrate(databaseUrl);
  await withDatabase(databaseUrl, "demo", loadPeople);
  say(`Loaded ${DEMO_SIZE} invented people${made ? "" : " anew"} and built the list.`);

  const { runServer } = await import("#process/run-server.ts");
  const logLevel = config.logLevel === "info" ? "warn" : config.logLevel;
  await runServer({ ...config, databaseUrl, logLevel }, STDERR, ({ address, privateAddress }) => {
    process.stdout.write(`${welcome(address, privateAddress)}\n`);
  });
}

/** Loading the people takes seconds: a port that is in use is reported before that. */
async function requireFreePort({ host, port }: Config): Promise<void> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    throw new Failure(
      `Port ${port} of ${host} is in use, by another \`credence demo\` perhaps.`,
      `Stop that program, or choose another port: credence demo --port ${port < 65_535 ? port + 1 : 8080}`,
    );
  }
  server.close();
  await once(server, "close");
}

/** As psql finds it: the socket on this machine if there is one, else the loopback port; the person's own role. */
function defaultUrl(): string {
  const user = encodeURIComponent(userInfo().username);
  return existsSync(`${SOCKETS}/.s.PGSQL.5432`)
    ? `postgres:///credence_demo?host=${SOCKETS}&user=${user}`
    : `postgres://${user}@127.0.0.1:5432/credence_demo`;
}

/** A demo may be started on what a demo left, or on nothing. */
async function refuseOtherPeople(database: Database): Promise<void> {
  const { highestId, comment } = await findDemoMark(database);
  if (highestId === 0 || (comment === DEMO_NOTE && highestId <= DEMO_SIZE)) return;
  throw new Failure(
    "This database holds people who are not the demo's.",
    "Name another one in DATABASE_URL, or unset it to use the database `credence_demo`.",
  );
}

async function loadPeople(database: Database): Promise<void> {
  await writeDemoMark(database, DEMO_NOTE);
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
}

function welcome(address: string, privateAddress: string): string {
  const heading = (text: string) => paint("bold", text, process.stdout);
  return `
${heading("Credence is serving")}
  V1             ${address}/api/v1/passports
  API reference  ${address}/docs
  Metrics        ${privateAddress}/metrics

${heading("Try")}
  curl -s '${address}/api/v1/passports?keyword=ada&per_page=1'
  curl -s ${address}/api/v1/passports/1
  curl -s '${address}/api/v1/passport_credentials?passport_id=1'

Stop with Ctrl-C. The database stays.`;
}
