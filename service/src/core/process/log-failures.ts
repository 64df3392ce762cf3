import type { Logger } from "pino";
import { explain, saysItself } from "#core/terminal/failure.ts";

/** An outage lasts for many seconds, and is one event for each job. */
const LOG_EVERY_MS = 10_000;

/**
 * Logs why a job of the worker failed and what to do; the same failure of a job once in ten seconds,
 * with the number of times.
 */
export function createFailureLog(log: Logger, now: () => number = () => performance.now()) {
  const logged = new Map<string, { message: string; at: number; failures: number }>();
  return (job: string, error: unknown): void => {
    const { message, advice } = explain(error);
    const last = logged.get(job);
    if (last?.message === message && now() - last.at < LOG_EVERY_MS) {
      last.failures += 1;
      return;
    }
    const failures = last?.message === message ? last.failures : 1;
    const cause = saysItself(error) ? { reason: message } : { err: error };
    log.error({ job, failures, advice, ...cause }, "failed; will be retried");
    logged.set(job, { message, at: now(), failures: 1 });
  };
}

/** All connections to a server break within this time when it ends. */
const GATHER_MS = 1_000;
/** Further losses within this time belong to the same event, such as a failover. */
const EVENT_MS = 30_000;

/** Logs lost connections, one line for all of a server that break in one event. */
export function createLossLog(log: Logger): (server: string, error: Error) => void {
  const lost = new Map<string, number>();
  return (server, err) => {
    const connections = (lost.get(server) ?? 0) + 1;
    lost.set(server, connections);
    if (connections > 1) return;
    setTimeout(() => {
      log.warn({ server, connections: lost.get(server), err }, "database connections were lost");
    }, GATHER_MS).unref();
    setTimeout(() => lost.delete(server), EVENT_MS).unref();
  };
}
