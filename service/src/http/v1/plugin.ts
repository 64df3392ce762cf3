import { METHODS } from "node:http";
import type { FastifyInstance } from "fastify";
import { decideBy, hasKeyInQuery } from "#http/access/decide.ts";
import type { Deps } from "#http/deps.ts";
import { errorSender } from "./errors.ts";
import { GET_PASSPORT, getPassport } from "./get-passport.ts";
import { v1Headers } from "./headers.ts";
import { LIST_PASSPORT_CREDENTIALS, listPassportCredentials } from "./list-passport-credentials.ts";
import { LIST_PASSPORTS, listPassports } from "./list-passports.ts";

/** The paths of V1, all of them. */
const V1_PATHS = [LIST_PASSPORTS, GET_PASSPORT, LIST_PASSPORT_CREDENTIALS];

/** V1: its three endpoints, and what comes before them in the order in which it is decided. */
export async function v1(app: FastifyInstance, deps: Deps): Promise<void> {
  const headers = v1Headers(deps.config);
  const sunsetMs = deps.config.sunsetAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const sendError = errorSender(deps.config);

  const decide = decideBy(deps.config.authMode, deps.keyring, deps.metrics);

  app.addHook("onRequest", async (request, reply) => {
    reply.headers(headers).header("x-request-id", request.id);
    if (hasKeyInQuery(request.originalUrl)) deps.metrics.countKeyInUrl();
    if (Date.now() >= sunsetMs) return sendError(reply, "gone");
    if (request.method !== "GET" && request.method !== "HEAD") return sendError(reply, "method_not_allowed");
    const caller = await decide(request.headers["x-api-key"]);
    if (caller === null) return sendError(reply, "unauthorized");
    request.keyId = caller.keyId;
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
