import Fastify, { type FastifyInstance } from "fastify";
import { isUnavailable } from "#store/engine/failures.ts";
import "./request.ts";
import { MAX_TARGET_BYTES } from "./connections/request-target.ts";
import { serverOptions } from "./connections/server-options.ts";
import type { Deps } from "./deps.ts";
import { docs } from "./docs/docs.ts";
import { health } from "./health.ts";
import type { Content } from "./respond/content.ts";
import { ALLOWED_METHODS } from "./respond/errors.ts";
import { clientErrorHandler, respondOutsideFramework } from "./respond/parser-errors.ts";
import { unavailableLogger } from "./respond/record.ts";
import { v1 } from "./v1/routes.ts";

/** The response to a CORS preflight, valid for two hours. */
const PREFLIGHT: Content = {
  status: 204,
  body: "",
  type: "",
  caching: "fixed",
  headers: [
    ...["access-control-allow-methods", ALLOWED_METHODS],
    ...["access-control-allow-headers", "X-API-KEY, Content-Type, Accept, If-None-Match"],
    ...["access-control-max-age", "7200"],
    ...["allow", ALLOWED_METHODS],
  ],
  isV1: true,
};

/** The public port: V1, health and documentation. It does not listen yet. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const { config, log, connections, responder } = deps;
  const { respond, respondError } = responder;
  const logUnavailable = unavailableLogger(log);

  const app = Fastify({
    ...serverOptions(config),
    frameworkErrors: (_error, _request, reply) => respondError(reply, "not_found"),
    clientErrorHandler: clientErrorHandler(connections.findPending, responder),
    serverFactory: connections.serverFactory,
  });
  respondOutsideFramework(app.server, responder);
  app.decorateRequest("keyId", null);
  app.decorateRequest("startedAt", 0);

  app.setErrorHandler((error, request, reply) => {
    if (isUnavailable(error)) {
      logUnavailable(error);
      return respondError(reply, "unavailable");
    }
    log.error({ request: request.id, err: error }, "internal");
    return respondError(reply, "internal");
  });

  await app.register((scope) => v1(scope, deps));
  // For all routes but those of V1, which have a hook of their own.
  app.addHook("onRequest", (request, reply, next) => {
    request.startedAt = performance.now();
    if (request.originalUrl.length > MAX_TARGET_BYTES) return respondError(reply, "uri_too_long");
    if (request.method === "OPTIONS") return respond(reply, "none", PREFLIGHT);
    // In a handler it would be too late: the framework reads the body first and refuses it in its
    // own words.
    if (request.is404) return respondError(reply, "not_found");
    next();
  });
  health(app, deps);
  await docs(app, config, responder);
  return app;
}
