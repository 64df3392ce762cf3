import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ErrorCode } from "@credence/contract/errors.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";
import type { AuthMode } from "#core/config/config.ts";
import { timeOutIfStalled } from "#core/http/connections/connection-limits.ts";
import { createDelay } from "#core/http/limits/delay.ts";
import type { AppliedLimit } from "#core/http/limits/rate-limits.ts";
import type { ObserveRequest } from "#core/http/metrics/request-counts.ts";
import { hasApiKey } from "#core/identity/api-key.ts";
import { composer, type Response, type V1State } from "./compose.ts";
import type { Content } from "./content.ts";
import { beforeDeadline } from "./deadline.ts";
import { type ErrorContentOf, errorContent } from "./errors.ts";
import type { RecordRequest } from "./record.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The id of the caller's API key; null for a caller without one. Never the key itself. */
    keyId: string | null;
    /** The limit that applies; null if there is none, or before the request was charged. */
    limit: AppliedLimit | null;
    /** The response is sent late, because the client sends too much. */
    isDelayed: boolean;
    /** Who sent the request, if `keyId` is null: `anonymous`, `unknown key` or a revoked key's id. */
    client: string;
    hasKeyInUrl: boolean;
    /** When the request's headers were read. */
    startedAt: number;
  }
}

export type Responder = {
  /** Sends the response to a request, with headers for this request alone, and records it. */
  respond: (reply: FastifyReply, route: string, content: Content, headers?: readonly string[]) => void;
  respondError: (reply: FastifyReply, code: ErrorCode, headers?: readonly string[]) => void;
  /** Closes the connection without a response, and records the request as one that got 503. */
  close: (reply: FastifyReply) => void;
  /** Sends an error where Node has no request, records it, and ends the connection. */
  respondOnSocket: (socket: Duplex, code: ErrorCode) => void;
};

export type ResponderDeps = {
  /** The response to a request that failed or was refused. */
  errorContentOf: ErrorContentOf;
  authMode: AuthMode;
  /** A further request header that V1's responses depend on. */
  alsoVary: string | null;
  lifeCycle: () => V1State;
  record: RecordRequest;
  observe: ObserveRequest;
  /** Called if a response cannot be composed or written. Its connection is closed. */
  onFailure: (error: unknown) => void;
  /** True once the port is closed: clients should use another connection for their next request. */
  isClosing: () => boolean;
};

const NONE: readonly string[] = [];
/** The route of requests that match none, in metrics and logs. */
const NO_ROUTE = "none";

/**
 * The one way in which responses of the public port leave. They bypass the framework's own sending,
 * which takes a sixth of the time of a cached look-up: nothing is left to serialize, and there are
 * no hooks.
 */
export function createResponder({
  errorContentOf,
  authMode,
  alsoVary,
  lifeCycle,
  record,
  observe,
  onFailure,
  isClosing,
}: ResponderDeps): Responder {
  const compose = composer(lifeCycle, authMode, Date.now, alsoVary);
  const delay = createDelay();

  function send(reply: FastifyReply, route: string, content: Content, headers: readonly string[]): void {
    const { request, raw } = reply;
    try {
      const response = compose(content, {
        requestId: request.id,
        keyId: request.keyId,
        hasKey: hasApiKey(request.headers),
        ifNoneMatch: request.headers["if-none-match"],
        headers,
        limit: request.limit,
        closes: isClosing(),
      });
      writeToRequest(raw, response);
      timeOutIfStalled(request.raw.socket, raw.socket === null);
      record(request, route, response.status);
    } catch (error) {
      onFailure(error);
      raw.destroy();
    }
  }

  const respond: Responder["respond"] = (reply, route, content, headers = NONE) => {
    reply.hijack();
    // After all requests that have arrived are read: a client on the same machine, such as a proxy,
    // then wakes once for all responses. Sending at once costs 13 to 34 % more CPU for a cached
    // look-up.
    if (reply.request.isDelayed) delay(() => send(reply, route, content, headers));
    else setImmediate(send, reply, route, content, headers);
  };

  return {
    respond,
    respondError(reply, code, headers) {
      const content = errorContentOf(reply.request, code);
      respond(reply, reply.request.routeOptions.url ?? NO_ROUTE, withoutRepeated(content, headers), headers);
    },
    close(reply) {
      reply.hijack();
      record(reply.request, reply.request.routeOptions.url ?? NO_ROUTE, 503);
      reply.raw.destroy();
    },
    respondOnSocket(socket, code) {
      const unkeyed = {
        requestId: randomUUID(),
        keyId: null,
        hasKey: false,
        ifNoneMatch: undefined,
        headers: NONE,
        limit: null,
      };
      const response = compose(errorContent(code), { ...unkeyed, closes: true });
      writeToSocket(socket, response);
      observe(NO_ROUTE, response.status, 0);
    },
  };
}

/** A content without the headers that this response replaces. */
function withoutRepeated(content: Content, [replaced]: readonly string[] = NONE): Content {
  const { headers } = content;
  if (replaced === undefined || !headers?.includes(replaced)) return content;
  const isKept = (_: string, index: number) => headers[index - (index % 2)] !== replaced;
  return { ...content, headers: headers.filter(isKept) };
}

/** Thrown by a handler whose page or record does not exist. */
export class NotFound extends Error {
  override name = "NotFound";
}

/** Adds a GET route. Its handler returns the content; what it throws goes to the error handler. */
export function addRoute<Route extends RouteGenericInterface>(
  app: FastifyInstance,
  url: string,
  { respond }: Responder,
  handle: (
    request: Pick<FastifyRequest<Route>, "params" | "query" | "headers" | "keyId" | "ip">,
  ) => Content | Promise<Content>,
): void {
  app.get(url, (request, reply) => {
    const content = handle(request as FastifyRequest<Route>);
    if (!(content instanceof Promise)) return respond(reply, url, content);
    beforeDeadline(content, request.startedAt).then(
      (loaded) => respond(reply, url, loaded),
      (error) => reply.send(error),
    );
  });
}

/** Writes a response to a request that Node has parsed. */
function writeToRequest(raw: ServerResponse, { status, headers, body }: Response): void {
  raw.writeHead(status, headers);
  if (body === null) raw.end();
  else raw.end(body, "latin1");
}

/** Writes a response where there is no parsed request, and ends the connection. */
function writeToSocket(socket: Duplex, { status, headers, body }: Response): void {
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}\r\n`] : []));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body ?? ""}`, "latin1");
}
