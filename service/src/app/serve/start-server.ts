import type { UsageState } from "#usage/serve/write-usage.ts";
import { observeDatabase } from "./database-metrics.ts";
import { readinessOf } from "./health.ts";
import { observeNode } from "./node-state.ts";
import { startPrivate } from "./private-app.ts";
import { type StartDeps, startPublic } from "./start-public.ts";

export type RunningServer = {
  address: string;
  privateAddress: string;
  /** Fails readiness, closes the ports after the delay, and answers requests that have arrived. */
  stop: (drainDelayMs: number) => Promise<void>;
};

export type ServerDeps = StartDeps & { usageState?: () => UsageState };

/** Opens both ports in this process. */
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const server = await startPublic(deps);
  const { phase, registry, untrustedProxy } = server;
  const { usageState: usage = () => ({ waiting: 0, lost: 0 }) } = deps;
  const findReadiness = readinessOf({ ...deps, phase });
  observeDatabase(registry, deps.readers);
  observeNode(registry, { ...deps, usage, isReady: async () => (await findReadiness()).ready });
  try {
    const privatePort = await startPrivate({ ...deps, phase, untrustedProxy, readMetrics: () => registry.metrics() });
    const stop = async (drainDelayMs: number) => {
      await server.stop(drainDelayMs);
      await privatePort.close();
    };
    return { address: server.address, privateAddress: privatePort.address, stop };
  } catch (error) {
    await server.stop(0);
    throw error;
  }
}
