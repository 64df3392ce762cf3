import { METHODS } from "node:http";
import type { ErrorCode } from "@credence/contract/errors.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createKeyCheck, hasKeyInQuery } from "#http/access/check-key.ts";
import { createSecurityEventLog } from "#http/access/security-events.ts";
import { MAX_TARGET_BYTES } from "#http/connections/request-target.ts";
import { timeOutIfStalled } from "#http/connections/stalled.ts";
import type { Deps } from "#http/deps.ts";
import { GET_PASSPORT, getPassport } from "./get-passport.ts";
import { LIST_PASSPORT_CREDENTIALS, listPassportCredentials } from "./list-passport-credentials.ts";
import { LIST_PASSPORTS, listPassports } from "./list-passports.ts";

const V1_PATHS = [LIST_PASSPORTS, GET_PASSPORT, LIST_PASSPORT_CREDENTIALS];

/** V1: its three endpoints, and what is decided before them. */
export async function v1(app: FastifyInstance, deps: Deps): Promise<void> {
  const refuse = refusalOf(deps);
  app.addHook("onRequest", (request, reply, next) => {
    request.startedAt = performance.now();
    timeOutIfStalled(request.raw.socket);
    const proceed = (code: ErrorCode | null) => (code === null ? next() : deps.responder.respondError(reply, code));
    const code = refuse(request);
    if (code instanceof Promise) code.then(proceed, next);
    else proceed(code);
  });

  listPassports(app, deps);
  getPassport(app, deps);
  listPassportCredentials(app, deps);
  routeOtherMethods(app);
}

/**
 * Decides whether a request is refused, in this order: target, life cycle, method, key. Null admits
 * it.
 */
function refusalOf({ config, keyring, metrics, log, lifeCycle }: Deps) {
  const report = createSecurityEventLog(log);
  const decide = createKeyCheck(config.authMode, keyring, metrics, report);
  return (request: FastifyRequest): ErrorCode | null | Promise<ErrorCode | null> => {
    if (request.originalUrl.length > MAX_TARGET_BYTES) return "uri_too_long";
    if (hasKeyInQuery(request.originalUrl)) {
      metrics.countKeyInUrl();
      report("a key was sent in a URL", { address: request.ip });
    }
    if (lifeCycle().state === "gone") return "gone";
    if (request.method !== "GET" && request.method !== "HEAD") return "method_not_allowed";
    const admit = (caller: { keyId: string | null } | null): ErrorCode | null => {
      if (caller === null) return "unauthorized";
      request.keyId = caller.keyId;
      return null;
    };
    const caller = decide(request);
    return caller instanceof Promise ? caller.then(admit) : admit(caller);
  };
}

/**
 * Routes for all other methods that the parser knows, so that they reach the hook above and get
 * 405.
 */
function routeOtherMethods(app: FastifyInstance): void {
  const others = METHODS.filter((method) => !["GET", "HEAD", "OPTIONS", "CONNECT"].includes(method));
  for (const method of others) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const unreachable = () => {
    throw new Error("The hook responds to this method.");
  };
  for (const url of V1_PATHS) app.route({ method: others, url, handler: unreachable });
}
