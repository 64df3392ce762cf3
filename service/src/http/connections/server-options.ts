import type { Server } from "node:http";
import { type FastifyHttpOptions, LogController } from "fastify";
import type { Config } from "#config.ts";
import { createRequestIds } from "./request-id.ts";
import { parseQuery, routableTarget } from "./request-target.ts";
import { createTrustCheck } from "./trusted-proxies.ts";

/** Past this, the parser itself refuses a request line with its headers: 431. */
const LARGEST_HEADERS_BYTES = 16_384;

/** Bounds against slow, huge and odd requests, and how a request is read. The same for both ports. */
export function serverOptions(config: Config) {
  const isTrusted = createTrustCheck(config.trustedProxies);
  return {
    trustProxy: isTrusted,
    genReqId: createRequestIds(isTrusted),
    rewriteUrl: (request) => routableTarget(request.url ?? "/"),
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      // No path may be refused for its length before our own bound on the target is asked.
      maxParamLength: LARGEST_HEADERS_BYTES,
      querystringParser: parseQuery,
    },
    // access-log.ts writes the lines.
    logController: new LogController({ disableRequestLogging: true }),
    // Whoever is connected when we stop gets an answer, not a 503.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    bodyLimit: 1_024,
    requestTimeout: 10_000,
    // Above the idle time-outs of common load balancers, so that they close first and never meet a closed connection.
    keepAliveTimeout: 75_000,
    http: {
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: LARGEST_HEADERS_BYTES,
      // A missing Host is no reason to refuse: we never use it.
      requireHostHeader: false,
    },
  } satisfies FastifyHttpOptions<Server>;
}
