import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { type FastifyHttpOptions, LogController } from "fastify";
import type { Config } from "#core/config/config.ts";
import { createTrustCheck } from "./client-network.ts";
import { parseQuery, routableTarget } from "./request-target.ts";

/** Accepts the X-Request-Id of a trusted proxy, and generates an id for all other requests. */
function createRequestIds(isTrusted: (address: string | undefined) => boolean) {
  return (request: Pick<IncomingMessage, "headers" | "socket">): string => {
    const header = request.headers["x-request-id"];
    const isUsable = typeof header === "string" && /^[\w.-]{1,64}$/.test(header);
    return isUsable && isTrusted(request.socket.remoteAddress) ? header : randomUUID();
  };
}

/** The parser's limit of the request line and headers; beyond it, the response is a 431. */
const MAX_HEADERS_BYTES = 16_384;

/** Server options of both ports: limits and timeouts, request ids and request parsing. */
export function serverOptions(config: Config) {
  const isTrusted = createTrustCheck(config.trustedProxies);
  return {
    trustProxy: isTrusted,
    genReqId: createRequestIds(isTrusted),
    rewriteUrl: (request) => routableTarget(request.url ?? "/"),
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      // Above MAX_TARGET_BYTES, so that the router never rejects a path for its length.
      maxParamLength: MAX_HEADERS_BYTES,
      querystringParser: parseQuery,
    },
    // record.ts logs requests.
    logController: new LogController({ disableRequestLogging: true }),
    // During shutdown, requests on open connections get ordinary responses.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    bodyLimit: 1_024,
    requestTimeout: 10_000,
    // Above the idle timeouts of common load balancers: the load balancer must close first.
    keepAliveTimeout: 75_000,
    http: {
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: MAX_HEADERS_BYTES,
      // The Host header is not used.
      requireHostHeader: false,
    },
  } satisfies FastifyHttpOptions<Server>;
}
