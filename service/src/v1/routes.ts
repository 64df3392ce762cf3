import { METHODS } from "node:http";
import type { ErrorCode } from "@credence/contract/errors.ts";
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from "fastify";
import { timeOutIfStalled } from "#core/http/connections/connection-limits.ts";
import { MAX_TARGET_BYTES } from "#core/http/connections/request-target.ts";
import { createSecurityEventLog } from "#core/http/connections/security-events.ts";
import { ignoresRefusals } from "#core/http/limits/delay.ts";
import { type Caller, isOver, OTHER_POINTS, WITHOUT_KEY } from "#core/http/limits/rate-limits.ts";
import { beforeDeadline } from "#core/http/respond/deadline.ts";
import { hasApiKey } from "#core/identity/api-key.ts";
import { createKeyCheck, hasKeyInQuery, type KeyRefusal } from "#keys/serve/check-key.ts";
import { preferredError } from "./demo-errors.ts";
import { getPassport } from "./get-passport.ts";
import { listPassportCredentials } from "./list-passport-credentials.ts";
import { listPassports } from "./list-passports.ts";
import { v1Prefixes } from "./prefixes.ts";
import { brownoutUntil, type Refusal, refuseWhileOff } from "./switched-off.ts";
import type { V1Deps } from "./v1-deps.ts";
import { LOOK_UP_POINTS, listPoints } from "./v1-points.ts";

type Query = Readonly<Record<string, string | undefined>>;
type PointsOf = (query: Query) => number;

/** V1: its three endpoints under each of its prefixes, and what is decided before them. */
export async function v1(app: FastifyInstance, deps: V1Deps): Promise<void> {
  const refuse = createRequestCheck(deps);
  const enterRoute =
    (pointsOf: PointsOf): onRequestHookHandler =>
    (request, reply, next) => {
      request.startedAt = performance.now();
      timeOutIfStalled(request.raw.socket);
      const proceed = (refusal: Refusal | null) =>
        refusal === null ? next() : deps.responder.respondError(reply, refusal.code, refusal.headers);
      const preferred = deps.config.isDemo ? preferredError(request) : null;
      if (preferred !== null) {
        return deps.responder.respond(reply, request.routeOptions.url ?? "", preferred.content, preferred.headers);
      }
      const refusal = refuse(request, pointsOf);
      if (refusal instanceof Promise) beforeDeadline(refusal, request.startedAt).then(proceed, next);
      else proceed(refusal);
    };
  // Each route has its hook with its points: reading the route of a request takes longer.
  const urls = new Set<string>();
  app.addHook("onRoute", (route) => {
    urls.add(route.url);
    route.onRequest = enterRoute(route.url.endsWith("/passports") ? listPoints : () => LOOK_UP_POINTS);
  });

  for (const prefix of v1Prefixes(deps.config)) {
    listPassports(app, prefix, deps);
    getPassport(app, prefix, deps);
    listPassportCredentials(app, prefix, deps);
  }
  routeOtherMethods(app, [...urls]);
}

/**
 * Decides whether a request is refused, in this order: target, life cycle, method, key, rehearsal
 * for the key, rate limit. Null admits it. Before the key, nothing needs the database.
 */
function createRequestCheck({ config, keyring, keyCounts, log, lifeCycle, limits, untrustedProxy }: V1Deps) {
  const report = createSecurityEventLog(log);
  const checkKey = createKeyCheck(config.authMode, keyring, keyCounts, report);
  const charge = (request: FastifyRequest, caller: Caller, points: number): Refusal | null => {
    request.limit = limits.charge(request, caller, points);
    request.isDelayed = ignoresRefusals(request.limit);
    untrustedProxy.look(request);
    if (!isOver(request.limit)) return null;
    if (untrustedProxy.forwards(request))
      report("a proxy that is not trusted forwards requests, which share its limit", { address: request.ip });
    return { code: "rate_limited" };
  };
  const refuseMistake = (request: FastifyRequest, code: ErrorCode): Refusal => {
    request.isDelayed = limits.chargeMistake(request);
    return { code };
  };
  const check = (request: FastifyRequest, pointsOf: PointsOf): Refusal | null | Promise<Refusal | null> => {
    if (request.originalUrl.length > MAX_TARGET_BYTES) return refuseMistake(request, "uri_too_long");
    if (hasKeyInQuery(request.originalUrl)) {
      request.hasKeyInUrl = true;
      keyCounts.countKeyInUrl();
      report("a key was sent in a URL", { address: request.ip });
    }
    const now = lifeCycle();
    const off = refuseWhileOff(now);
    if (off !== null) {
      // The key is not checked. But its id, if it is known, shows who still depends on V1.
      request.keyId = hasApiKey(request.headers) ? keyring.findId(String(request.headers["x-api-key"])) : null;
      return off;
    }
    if (request.method !== "GET" && request.method !== "HEAD") return refuseMistake(request, "method_not_allowed");
    const admit = (caller: Caller | KeyRefusal): Refusal | null => {
      if (caller === "no key") return refuseMistake(request, "unauthorized");
      // Charged to the address, so that keys cannot be guessed at any rate.
      if (caller === "invalid key") return charge(request, WITHOUT_KEY, OTHER_POINTS) ?? { code: "unauthorized" };
      request.keyId = caller.keyId;
      const rehearsedUntil = caller.keyId === null ? 0 : (caller.rehearsedUntil?.getTime() ?? 0);
      if (rehearsedUntil > Date.now()) return brownoutUntil(rehearsedUntil);
      return charge(request, caller, pointsOf(request.query as Query));
    };
    const caller = checkKey(request);
    return caller instanceof Promise ? caller.then(admit) : admit(caller);
  };
  return check;
}

/**
 * Routes for all other methods that the parser knows, so that they reach the hook above and get
 * 405.
 */
function routeOtherMethods(app: FastifyInstance, urls: readonly string[]): void {
  const others = METHODS.filter((method) => !["GET", "HEAD", "OPTIONS", "CONNECT"].includes(method));
  for (const method of others) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const unreachable = () => {
    throw new Error("The hook responds to this method.");
  };
  for (const url of urls) app.route({ method: others, url, handler: unreachable });
}
