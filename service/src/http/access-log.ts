import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Metrics } from "./metrics/metrics.ts";

/** One in so many ordinary requests is logged: a line each would cost more than answering them. */
const SAMPLE = 100;
const SLOW_MS = 1_000;
const UNAVAILABLE = 503;
/** Of what could not be answered, one is logged in so long, with how many there were. */
const LOG_EVERY_MS = 1_000;

/** Notes that a request was answered, the moment its answer is handed over. */
export type Record = (request: FastifyRequest, route: string, status: number) => void;

/** Counts every answer, and logs those that failed or were slow, with a sample of the rest. Never a URL: it may hold a key. */
export function recorder(metrics: Metrics, log: Logger): Record {
  let seen = 0;
  return (request, route, status) => {
    request.recorded = true;
    // What the framework refuses before any hook has no beginning.
    const ms = request.startedAt === 0 ? 0 : performance.now() - request.startedAt;
    metrics.observeRequest(route, status, ms);
    seen += 1;
    const isOrdinary = (status < 500 || status === UNAVAILABLE) && ms < SLOW_MS;
    if (isOrdinary && seen % SAMPLE !== 0) return;
    const { id, keyId: key, method } = request;
    const line = { request: id, key, method, route, status, ms: Math.round(ms * 10) / 10 };
    if (status >= 500) log.error(line, "failed");
    else if (ms >= SLOW_MS) log.warn(line, "slow");
    else log.info({ ...line, sample: SAMPLE }, "answered");
  };
}

/** When nobody can be answered, a line for each would hold up those who come next. */
export function unavailableLogger(log: Logger): (error: unknown) => void {
  let requests = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    requests += 1;
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    log.error({ err: error, requests }, "unavailable");
    requests = 0;
    loggedAt = performance.now();
  };
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
