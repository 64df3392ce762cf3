import { existsSync } from "node:fs";
import type { Environment } from "#core/config/config.ts";
import { codeOf } from "#core/database/failures.ts";
import { ensureDatabase } from "#core/database/server.ts";
import { explain, Failure } from "#core/terminal/failure.ts";
import { clusterFolder, ensureCluster, removeClusters, requireUser } from "./own-postgresql/cluster.ts";
import { findProgram, missingServer } from "./own-postgresql/program.ts";
import { startServer } from "./own-postgresql/server.ts";

/** `stop` ends the PostgreSQL that `isOwn`, which the demo started. */
export type DemoDatabase = { url: string; isNew: boolean; isOwn: boolean; stop: () => Promise<void> };

const NAME = "credence_demo";
const SOCKET_FOLDER = "/var/run/postgresql";

/**
 * The database of `DATABASE_URL`, else one on the PostgreSQL of this machine, else one on a PostgreSQL
 * that is started here. Creates the database if it does not exist.
 */
export async function openDemoDatabase(
  databaseUrl: string | null,
  environment: Environment,
  onOwn: (folder: string) => void,
): Promise<DemoDatabase> {
  if (databaseUrl !== null) return { ...NOT_OWN, url: databaseUrl, isNew: await ensureDatabase(databaseUrl) };
  const { url, address } = localServer();
  try {
    return { ...NOT_OWN, url, isNew: await ensureDatabase(url) };
  } catch (error) {
    if (NO_SERVER.includes(codeOf(error) ?? "")) return openOwnDatabase(address, clusterFolder(environment), onOwn);
    const { message } = explain(error);
    const advice = "To use another PostgreSQL, set DATABASE_URL to postgres://user:password@host:5432/database.";
    throw new Failure(`The PostgreSQL at ${address} refuses the demo: ${message}`, advice);
  }
}

/** Removes the PostgreSQL that the demo has started before. Returns its folder, or null if there is none. */
export async function removeOwnServer(environment: Environment): Promise<string | null> {
  const folder = clusterFolder(environment);
  return (await removeClusters(folder)) ? folder : null;
}

const NOT_OWN = { isOwn: false, stop: async () => {} };
const NO_SERVER = ["ECONNREFUSED", "ENOENT"];

async function openOwnDatabase(
  address: string,
  folder: string,
  onOwn: (folder: string) => void,
): Promise<DemoDatabase> {
  const program = await findProgram();
  if (program === null) throw missingServer(address);
  onOwn(folder);
  const { url: server, stop } = await startServer(await ensureCluster(program, folder));
  const url = `${server}/${NAME}`;
  return { url, isNew: await ensureDatabase(url), isOwn: true, stop };
}

/** The server that psql would use: the local socket if it exists, else the loopback port. */
function localServer(): { url: string; address: string } {
  const user = encodeURIComponent(requireUser().username);
  const socket = `${SOCKET_FOLDER}/.s.PGSQL.5432`;
  return existsSync(socket)
    ? { url: `postgres:///${NAME}?host=${SOCKET_FOLDER}&user=${user}`, address: socket }
    : { url: `postgres://${user}@127.0.0.1:5432/${NAME}`, address: "127.0.0.1:5432" };
}
