import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Metrics } from "#http/metrics/metrics.ts";

/** One in so many ordinary requests is logged: a line each would cost more than answering them. */
const SAMPLE = 100;
const SLOW_MS = 1_000;
const UNAVAILABLE = 503;
/** One line of a kind in so long, with how many there were: a line each would slow down a server that is in trouble already. */
const LOG_EVERY_MS = 1_000;

/** Records that a request was answered, the moment its response is handed over. */
export type Record = (request: FastifyRequest, route: string, status: number) => void;

/** Counts every response, and logs those that failed or were slow, with a sample of the rest. Never a URL: it may hold a key. */
export function recorder(metrics: Metrics, log: Logger): Record {
  let seen = 0;
  const failed = limitLines((line) => log.error(line, "failed"));
  const slow = limitLines((line) => log.warn(line, "slow"));
  const answered = limitLines((line) => log.info(line, "answered"));
  return (request, route, status) => {
    request.recorded = true;
    // What the framework refuses before any hook has no beginning.
    const ms = request.startedAt === 0 ? 0 : performance.now() - request.startedAt;
    metrics.observeRequest(route, status, ms);
    seen += 1;
    // 503 is logged with its cause: see unavailableLogger.
    const isFailed = status >= 500 && status !== UNAVAILABLE;
    const isSlow = ms >= SLOW_MS;
    if (!isFailed && !isSlow && seen % SAMPLE !== 0) return;
    const write = isFailed ? failed : isSlow ? slow : answered;
    write(() => {
      const { id, keyId: key, method } = request;
      return { request: id, key, method, route, status, ms: Math.round(ms * 10) / 10, sample: SAMPLE };
    });
  };
}

type Line = { [name: string]: unknown };

/** Writes at most one line a second; `requests` says for how many it stands. The line is made only if it is written. */
function limitLines(write: (line: Line) => void): (make: () => Line) => void {
  let requests = 0;
  let writtenAt = Number.NEGATIVE_INFINITY;
  return (make) => {
    requests += 1;
    if (performance.now() - writtenAt < LOG_EVERY_MS) return;
    write({ ...make(), requests });
    requests = 0;
    writtenAt = performance.now();
  };
}

/** Logs why requests could not be answered. */
export function unavailableLogger(log: Logger): (error: unknown) => void {
  const write = limitLines((line) => log.error(line, "unavailable"));
  return (error) => write(() => ({ err: error }));
}

/** Records the answers of every route that is added from here on; those of V1 are recorded where they are sent. */
export function recordOtherRoutes(app: FastifyInstance, record: Record): void {
  app.addHook("onRoute", (route) => {
    const { url } = route;
    route.onResponse = (request, reply, next) => {
      // Errors are recorded where they are sent.
      if (!request.recorded) record(request, url, reply.statusCode);
      next();
    };
  });
}
