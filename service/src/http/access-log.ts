import type { FastifyInstance } from "fastify";
import type { Deps } from "./deps.ts";

/** One in so many ordinary requests is logged: a line each would cost more than answering them. */
const SAMPLE = 100;
const SLOW_MS = 1_000;

/** Counts every request the framework sees, and logs those that failed or were slow, with a sample of the rest. Never a URL: it may hold a key. */
export function accessLog(app: FastifyInstance, { metrics, log }: Deps): void {
  let seen = 0;
  app.addHook("onResponse", (request, reply, next) => {
    const route = request.routeOptions.url ?? "none";
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const status = reply.statusCode;
    metrics.observeRequest(route, status, reply.elapsedTime / 1000);
    seen += 1;
    const line = () => ({ request: request.id, key: request.keyId, method: request.method, route, status, ms });
    if (status >= 500) log.error(line(), "failed");
    else if (ms >= SLOW_MS) log.warn(line(), "slow");
    else if (seen % SAMPLE === 0) log.info({ ...line(), sample: SAMPLE }, "answered");
    next();
  });
}
