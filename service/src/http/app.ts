import Fastify, { type FastifyInstance } from "fastify";
import { isUnavailable } from "#store/engine/failures.ts";
import "./request.ts";
import { MAX_TARGET_BYTES } from "./connections/request-target.ts";
import { serverOptions } from "./connections/server-options.ts";
import { timeOut } from "./connections/stalled.ts";
import type { Deps } from "./deps.ts";
import { docs } from "./docs/docs.ts";
import { health } from "./health.ts";
import { errorSender } from "./respond/errors.ts";
import { answerOutsideFramework, clientErrorHandler } from "./respond/parser-errors.ts";
import { recordOtherRoutes, unavailableLogger } from "./respond/record.ts";
import { PREFLIGHT, v1Headers } from "./respond/v1-headers.ts";
import { v1 } from "./v1/routes.ts";

/** The public port: V1, health and documentation. Not listening yet. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const { config, log, metrics, phase, record } = deps;
  const sendError = errorSender(deps);
  const logUnavailable = unavailableLogger(log);
  const preflightHeaders = { ...v1Headers(config), ...PREFLIGHT };

  const app = Fastify({
    ...serverOptions(config),
    frameworkErrors: (_error, _request, reply) => sendError(reply, "not_found"),
    clientErrorHandler: clientErrorHandler(config, metrics.observeRequest, deps.connections.findPending),
    serverFactory: deps.connections.serverFactory,
  });
  answerOutsideFramework(app.server, config, metrics.observeRequest);
  app.decorateRequest("keyId", null);
  app.decorateRequest("startedAt", 0);
  app.decorateRequest("recorded", false);

  app.setErrorHandler((error, request, reply) => {
    if (isUnavailable(error)) {
      logUnavailable(error);
      return sendError(reply, "unavailable");
    }
    log.error({ request: request.id, err: error }, "internal");
    return sendError(reply, "internal");
  });

  await app.register((scope) => v1(scope, deps));
  // For all but V1, which has a hook of its own: one is enough for each request.
  app.addHook("onRequest", (request, reply, next) => {
    request.startedAt = performance.now();
    timeOut(request.raw.socket);
    if (phase() === "closing") reply.header("connection", "close");
    if (request.originalUrl.length > MAX_TARGET_BYTES) return sendError(reply, "uri_too_long");
    if (request.method === "OPTIONS") {
      record(request, "none", 204);
      return reply.code(204).headers(preflightHeaders).header("x-request-id", request.id).send();
    }
    // Here and not in a handler: before one runs, the framework reads the body, and would object to it in its own words.
    if (request.is404) return sendError(reply, "not_found");
    next();
  });
  recordOtherRoutes(app, record);
  health(app, deps);
  await docs(app, config, sendError);
  return app;
}
