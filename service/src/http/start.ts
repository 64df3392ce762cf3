import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "#config.ts";
import type { Database } from "#store/database.ts";
import { openKeyring } from "./access/keyring.ts";
import { buildApp } from "./app.ts";
import type { Phase } from "./deps.ts";
import { createMetrics } from "./metrics.ts";
import { buildPrivateApp } from "./private-app.ts";

export type RunningServer = {
  /** Where the public and the private port can be reached. */
  address: string;
  privateAddress: string;
  /** Readiness goes first; after the delay the ports close, and whoever is connected is answered and sent away. */
  stop: (drainDelayMs: number) => Promise<void>;
};

export type StartDeps = { config: Config; database: Database; log: Logger };

/** How long kept-alive connections may stay once the ports are closed. */
const FAREWELL_MS = 1_000;

/** Opens both ports. */
export async function startServer({ config, database, log }: StartDeps): Promise<RunningServer> {
  let phase: Phase = "serving";
  const keyring = await openKeyring(database, log);
  const deps = { config, database, log, keyring, metrics: createMetrics(database), phase: () => phase };
  const [app, privateApp] = [await buildApp(deps), await buildPrivateApp(deps)];
  const { host } = config;
  try {
    const privateAddress = await privateApp.listen({ host, port: config.privatePort });
    const address = await app.listen({ host, port: config.port });
    const stop = async (drainDelayMs: number) => {
      phase = "draining";
      await delay(drainDelayMs);
      phase = "closing";
      for (const { server } of [app, privateApp]) stopListening(server);
      // Long enough for those who are connected to ask once more and hear that they should go.
      await delay(Math.min(drainDelayMs, FAREWELL_MS));
      await Promise.all([closeWhenIdle(app), closeWhenIdle(privateApp)]);
      keyring.close();
    };
    return { address, privateAddress, stop };
  } catch (error) {
    keyring.close();
    await Promise.all([app.close(), privateApp.close()]);
    throw error;
  }
}

/** Closes the port and nothing else: http's own close would also cut connections that are idle, and about to be used. */
function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** A kept-alive connection that was busy when the port closed would stay for its time-out: it goes once it is idle. */
async function closeWhenIdle(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 100);
  await app.close().finally(() => clearInterval(sweep));
}
