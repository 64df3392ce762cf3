import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyServerFactory } from "fastify";
import { clientNetwork } from "./client-network.ts";

const STALL_TIMEOUT_MS = 30_000;

/**
 * Closes a connection whose client does not read its response. Sets a timeout only if response
 * bytes are still buffered, or the response is queued behind another one. Measured: the framework's
 * timer per request takes a tenth of its time.
 */
export function timeOutIfStalled(socket: Socket, isQueued = false): void {
  if (isQueued || socket.writableLength > 0) socket.setTimeout(STALL_TIMEOUT_MS);
}

export type ConnectionLimits = {
  /** The maximum number of connections, in total and per network of a client. */
  maxConnections: number;
  maxPerNetwork: number;
  /** Trusted proxies connect for many clients, and have no limit per address. */
  isTrusted: (address: string | undefined) => boolean;
  /** Called when a connection is closed because of its address. */
  onRefused: (address: string | undefined) => void;
};

/** `open` is the current number, `refused` counts connections that were closed at once. */
export type ConnectionCounts = { open: number; refused: number };

/** Requests processed at a time per connection. A client without pipelining has one. */
export const MAX_OUTSTANDING = 16;

export type LimitedConnections = {
  serverFactory: FastifyServerFactory;
  counts: ConnectionCounts;
  /** The last unfinished response of a connection. */
  findPending: (socket: Duplex) => ServerResponse | undefined;
  /** Closes connections on which no complete request waits for its response. */
  closeUnused: () => void;
};

/** Creates HTTP servers that limit connections, and the requests of each. */
export function limitConnections(limits: ConnectionLimits): LimitedConnections {
  const counts: ConnectionCounts = { open: 0, refused: 0 };
  const byNetwork = new Map<string, number>();
  /** The responses of each connection. A few of them may be finished. */
  const pipelines = new Map<Socket, ServerResponse[]>();

  const accept = (socket: Socket) => {
    const { remoteAddress: address } = socket;
    const network = address === undefined || limits.isTrusted(address) ? null : clientNetwork(address);
    const openFromNetwork = network === null ? 0 : (byNetwork.get(network) ?? 0);
    if (openFromNetwork >= limits.maxPerNetwork) {
      counts.refused += 1;
      socket.destroy();
      limits.onRefused(address);
      return;
    }
    counts.open += 1;
    if (network !== null) byNetwork.set(network, openFromNetwork + 1);
    pipelines.set(socket, []);
    socket.once("close", () => {
      counts.open -= 1;
      pipelines.delete(socket);
      if (network === null) return;
      const left = (byNetwork.get(network) ?? 1) - 1;
      if (left > 0) byNetwork.set(network, left);
      else byNetwork.delete(network);
    });
  };

  const serverFactory: FastifyServerFactory = (handler, options) => {
    const { http = {}, keepAliveTimeout = 0, requestTimeout = 0 } = options as ServerSettings;
    const server = createServer(http, limitOutstanding(handler, pipelines));
    server.keepAliveTimeout = keepAliveTimeout;
    server.requestTimeout = requestTimeout;
    server.maxConnections = limits.maxConnections;
    server.on("drop", () => {
      counts.refused += 1;
    });
    server.prependListener("connection", accept);
    return server;
  };
  const findPending = (socket: Duplex) =>
    pipelines.get(socket as Socket)?.findLast((response) => !response.writableFinished);
  const closeUnused = () => {
    for (const [socket, responses] of pipelines) {
      if (!responses.some(({ writableFinished, req }) => !writableFinished && req.complete)) socket.destroy();
    }
  };
  return { serverFactory, counts, findPending, closeUnused };
}

type ServerSettings = {
  http?: Parameters<typeof createServer>[0];
  keepAliveTimeout?: number;
  requestTimeout?: number;
};

/**
 * Node emits every pipelined request it has read, without backpressure. So the response to the
 * request that reaches the limit closes the connection, and later requests are not processed. The
 * client may retry them (RFC 9112, 9.3.2).
 */
function limitOutstanding(handler: RequestListener, pipelines: ReadonlyMap<Socket, ServerResponse[]>): RequestListener {
  return (request, response) => {
    const responses = pipelines.get(request.socket);
    if (responses === undefined) return request.socket.destroy();
    // The last of them closes the connection.
    if (responses.length === MAX_OUTSTANDING) return;
    // Responses finish in order. Polling them is cheaper than a listener on each.
    while (responses[0]?.writableFinished) responses.shift();
    responses.push(response);
    if (responses.length === MAX_OUTSTANDING) response.setHeader("connection", "close");
    handler(request, response);
  };
}
