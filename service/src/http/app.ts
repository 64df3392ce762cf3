import Fastify, { type FastifyInstance } from "fastify";
import { isUnavailable } from "#store/failures.ts";
import "./request.ts";
import { accessLog } from "./access-log.ts";
import type { Deps } from "./deps.ts";
import { docs } from "./docs.ts";
import { health } from "./health.ts";
import { quiet } from "./log.ts";
import { answerOutsideFramework, clientErrorHandler } from "./parser-errors.ts";
import { LONGEST_TARGET_BYTES } from "./request-target.ts";
import { serverOptions } from "./server-options.ts";
import { errorSender } from "./v1/errors.ts";
import { PREFLIGHT, v1Headers } from "./v1/headers.ts";
import { v1 } from "./v1/plugin.ts";

/** The public port: V1, health and documentation. Not listening yet. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const { config, log, phase } = deps;
  const sendError = errorSender(config);
  const preflightHeaders = { ...v1Headers(config), ...PREFLIGHT };

  const app = Fastify({
    ...serverOptions(config),
    loggerInstance: quiet(log),
    frameworkErrors: (_error, _request, reply) => sendError(reply, "not_found"),
    clientErrorHandler: clientErrorHandler(config),
  });
  answerOutsideFramework(app.server, config);
  app.decorateRequest("keyId", null);

  app.addHook("onRequest", (request, reply, next) => {
    // Whoever hears this goes elsewhere with the next request, before this process is gone. Not while the port is open: they
    // would come back by a new connection, and those still waiting to be taken when the port closes are lost.
    if (phase() === "closing") reply.header("connection", "close");
    if (request.originalUrl.length > LONGEST_TARGET_BYTES) return sendError(reply, "uri_too_long");
    if (request.method === "OPTIONS") {
      return reply.code(204).headers(preflightHeaders).header("x-request-id", request.id).send();
    }
    // Here and not in a handler: before one runs, the framework reads the body, and would object to it in its own words.
    if (request.is404) return sendError(reply, "not_found");
    next();
  });
  app.setErrorHandler((error, request, reply) => {
    const code = isUnavailable(error) ? "unavailable" : "internal";
    log.error({ request: request.id, err: error }, code);
    return sendError(reply, code);
  });

  accessLog(app, deps);
  await app.register((scope) => v1(scope, deps));
  health(app, deps);
  await docs(app, config);
  return app;
}
