import { METHODS } from "node:http";
import type { FastifyInstance } from "fastify";
import { type Caller, createKeyCheck, hasKeyInQuery } from "#http/access/check-key.ts";
import { createSecurityEventLog } from "#http/access/security-events.ts";
import { MAX_TARGET_BYTES } from "#http/connections/request-target.ts";
import { timeOutIfStalled } from "#http/connections/stalled.ts";
import type { Deps } from "#http/deps.ts";
import { errorSender } from "#http/respond/errors.ts";
import { GET_PASSPORT, getPassport } from "./get-passport.ts";
import { LIST_PASSPORT_CREDENTIALS, listPassportCredentials } from "./list-passport-credentials.ts";
import { LIST_PASSPORTS, listPassports } from "./list-passports.ts";

/** The paths of V1, all of them. */
const V1_PATHS = [LIST_PASSPORTS, GET_PASSPORT, LIST_PASSPORT_CREDENTIALS];

/** V1: its three endpoints, and what comes before them in the order in which it is decided. */
export async function v1(app: FastifyInstance, deps: Deps): Promise<void> {
  const sunsetMs = deps.config.sunsetAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const sendError = errorSender(deps);

  const report = createSecurityEventLog(deps.log);
  const decide = createKeyCheck(deps.config.authMode, deps.keyring, deps.metrics, report);

  app.addHook("onRequest", (request, reply, next) => {
    request.startedAt = performance.now();
    timeOutIfStalled(request.raw.socket);
    if (request.originalUrl.length > MAX_TARGET_BYTES) return void sendError(reply, "uri_too_long");
    if (hasKeyInQuery(request.originalUrl)) {
      deps.metrics.countKeyInUrl();
      report("a key was sent in a URL", { address: request.ip });
    }
    if (Date.now() >= sunsetMs) return void sendError(reply, "gone");
    if (request.method !== "GET" && request.method !== "HEAD") return void sendError(reply, "method_not_allowed");
    const enter = (caller: Caller | null) => {
      if (caller === null) return void sendError(reply, "unauthorized");
      request.keyId = caller.keyId;
      next();
    };
    const caller = decide(request);
    if (caller instanceof Promise) caller.then(enter, next);
    else enter(caller);
  });

  listPassports(app, deps);
  getPassport(app, deps);
  listPassportCredentials(app, deps);
  refuseOtherMethods(app);
}

/** Routes for every other method the parser knows, so that they reach the hook above; it answers them. */
function refuseOtherMethods(app: FastifyInstance): void {
  const others = METHODS.filter((method) => !["GET", "HEAD", "OPTIONS", "CONNECT"].includes(method));
  for (const method of others) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const unreached = () => {
    throw new Error("The hook before this answers.");
  };
  for (const url of V1_PATHS) app.route({ method: others, url, handler: unreached });
}
