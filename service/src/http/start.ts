import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "#config.ts";
import type { Database } from "#store/database.ts";
import { openKeyring } from "./access/keyring.ts";
import { buildApp } from "./app.ts";
import { createMetrics } from "./metrics.ts";
import { buildPrivateApp } from "./private-app.ts";

export type RunningServer = {
  /** Where the public and the private port can be reached. */
  address: string;
  privateAddress: string;
  /** Readiness goes first; after the delay the ports close, and every request that has arrived is answered. */
  stop: (drainDelayMs: number) => Promise<void>;
};

export type StartDeps = { config: Config; database: Database; log: Logger };

/** Opens both ports. */
export async function startServer({ config, database, log }: StartDeps): Promise<RunningServer> {
  let stopping = false;
  const keyring = await openKeyring(database, log);
  const deps = { config, database, log, keyring, metrics: createMetrics(database), draining: () => stopping };
  const [app, privateApp] = [await buildApp(deps), await buildPrivateApp(deps)];
  const { host } = config;
  try {
    const privateAddress = await privateApp.listen({ host, port: config.privatePort });
    const address = await app.listen({ host, port: config.port });
    const stop = async (drainDelayMs: number) => {
      stopping = true;
      await delay(drainDelayMs);
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

/** A kept-alive connection that was busy when the port closed would stay for its time-out: it goes once it is idle. */
async function closeWhenIdle(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 100);
  await app.close().finally(() => clearInterval(sweep));
}
