import type { ErrorCode } from "@credence/contract/errors.ts";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { hasNoResponse, isDenied, isUnavailable } from "#core/database/failures.ts";
import { MAX_TARGET_BYTES, readPath } from "#core/http/connections/request-target.ts";
import { serverOptions } from "#core/http/connections/server-options.ts";
import { ignoresRefusals } from "#core/http/limits/delay.ts";
import { isOver, OTHER_POINTS, type RateLimits, WITHOUT_KEY } from "#core/http/limits/rate-limits.ts";
import { preflight, SAME_SITE_PREFLIGHT } from "#core/http/respond/cors.ts";
import { TooLate } from "#core/http/respond/deadline.ts";
import { clientErrorHandler, respondOutsideFramework } from "#core/http/respond/parser-errors.ts";
import { unavailableLogger } from "#core/http/respond/record.ts";
import { NotFound } from "#core/http/respond/respond.ts";
import { docs } from "#explorer/docs/docs.ts";
import { ASSETS, explorerPoints } from "#explorer/explorer-points.ts";
import type { CompareQuery } from "#explorer/pages/compare-query.ts";
import { explorer } from "#explorer/pages/explorer.ts";
import { holder } from "#holders/serve/holder.ts";
import { holderPoints, isHolderPath } from "#holders/serve/holder-path.ts";
import { ANONYMOUS } from "#usage/record-usage.ts";
import { PREFER } from "#v1/demo-errors.ts";
import { v1 } from "#v1/routes.ts";
import { refuseUnknownPathWhileOff, unknownPathError } from "#v1/unknown-paths.ts";
import type { Deps } from "./deps.ts";
import { health } from "./health.ts";

/**
 * Sent by deploy/nginx. A node that cannot reach its database closes the connection, so that nginx
 * asks another node and leaves this one out for a while. With 503, it could not tell this node from
 * one that is overloaded, and whose requests must not go to the next.
 */
const OTHER_NODES = "x-other-nodes";

const isTooLong = ({ originalUrl }: FastifyRequest): boolean => originalUrl.length > MAX_TARGET_BYTES;

const canRepeat = ({ method }: FastifyRequest): boolean => method === "GET" || method === "HEAD";

/** The public port: V1, health, documentation and explorer. It does not listen yet. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const { config, log, connections, responder, limits, readers, site, onUnknownPath } = deps;
  const { respond, respondError, close } = responder;
  const logUnavailable = unavailableLogger(log);
  const errorOf = unknownPathError(config);
  const respondToUnknownPath = (request: FastifyRequest, reply: FastifyReply): void => {
    const path = readPath(request.url);
    const code = errorOf(path);
    if (code === "unknown_path") onUnknownPath(path);
    respondError(reply, code);
  };

  const app = Fastify({
    ...serverOptions(config),
    frameworkErrors: (_error, request, reply) => respondToUnknownPath(request, reply),
    clientErrorHandler: clientErrorHandler(connections.findPending, responder),
    serverFactory: connections.serverFactory,
  });
  respondOutsideFramework(app.server, responder);
  app.decorateRequest("keyId", null);
  app.decorateRequest("limit", null);
  app.decorateRequest("isDelayed", false);
  app.decorateRequest("startedAt", 0);
  app.decorateRequest("client", ANONYMOUS);
  app.decorateRequest("hasKeyInUrl", false);

  /** Whether another node may have the answer. A node that is only overloaded is not cut off. */
  const isCutOff = (error: unknown): boolean =>
    hasNoResponse(error) || (error instanceof TooLate && readers.isDoubtful());
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof NotFound) return respondError(reply, "not_found");
    // A right that the role lacks is a fault of the installation, and the next node may have another role.
    if (isUnavailable(error) || isDenied(error) || error instanceof TooLate) {
      logUnavailable(error);
      if (request.headers[OTHER_NODES] !== undefined && canRepeat(request) && isCutOff(error)) return close(reply);
      return respondError(reply, "unavailable");
    }
    log.error({ request: request.id, err: error }, "internal");
    return respondError(reply, "internal");
  });

  const refuse = createRequestCheck(limits, site);
  const refuseWhileOff = refuseUnknownPathWhileOff(config, deps.lifeCycle);
  const preflightOfV1 = preflight(config.isDemo ? PREFER : null);
  // Called for every request; handles those that match no route.
  app.addHook("onRequest", (request, reply, next) => {
    if (!request.is404) return next();
    request.startedAt = performance.now();
    const off = request.method === "OPTIONS" || isTooLong(request) ? null : refuseWhileOff(readPath(request.url));
    if (off !== null) return respondError(reply, off.code, off.headers);
    const code = refuse(request);
    if (code !== null) return respondError(reply, code);
    if (request.method === "OPTIONS") {
      return respond(reply, "none", isHolderPath(request.url) ? SAME_SITE_PREFLIGHT : preflightOfV1);
    }
    // In a handler it would be too late: the framework reads the body first and refuses it in its
    // own words.
    return respondToUnknownPath(request, reply);
  });
  await app.register((scope) => v1(scope, deps));
  await app.register(async (scope) => {
    scope.addHook("onRequest", (request, reply, next) => {
      request.startedAt = performance.now();
      const code = refuse(request);
      if (code !== null) return respondError(reply, code);
      next();
    });
    health(scope, deps);
    docs(scope, deps);
    await explorer(scope, deps);
    await holder(scope, deps);
  });
  return app;
}

/** Decides whether a request outside V1 is refused. Health checks and CORS preflights are free. */
function createRequestCheck(
  limits: RateLimits,
  { assets }: Deps["site"],
): (request: FastifyRequest) => ErrorCode | null {
  return (request) => {
    const { method, routeOptions, query, params } = request;
    const route = routeOptions.url ?? "";
    if (isTooLong(request)) {
      request.isDelayed = limits.chargeMistake(request);
      return "uri_too_long";
    }
    if (method === "OPTIONS") {
      request.isDelayed = limits.isPreflightFlood(request);
      return null;
    }
    if (route.startsWith("/health/")) return null;
    const isUnknownAsset = route === ASSETS && !assets.has((params as { name: string }).name);
    const points = isUnknownAsset
      ? OTHER_POINTS
      : (holderPoints(method, route) ?? explorerPoints(route, query as CompareQuery) ?? OTHER_POINTS);
    request.limit = limits.charge(request, WITHOUT_KEY, points);
    request.isDelayed = ignoresRefusals(request.limit);
    return isOver(request.limit) ? "rate_limited" : null;
  };
}
