import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
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
  /** The maximum number of connections of this process, in total and per network of a client. */
  maxConnections: number;
  maxPerNetwork: number;
  /** Trusted proxies connect for many clients, and have no limit per address. */
  isTrusted: (address: string | undefined) => boolean;
  /** Called when a connection is closed because of its address. */
  onRefused: (address: string | undefined) => void;
};

/** Counters since the start of this process; `open` and `unreadBytes` are current values. */
export type ConnectionCounts = {
  open: number;
  /** Connections closed at once. */
  refused: number;
  /** Pipelined requests that were not processed. */
  ignored: number;
  /** Response bytes that clients have not read yet. */
  unreadBytes: number;
  /** Connections closed because of too many unread bytes. */
  unread: number;
};

/** Requests processed at a time per connection. A client without pipelining has one. */
export const MAX_OUTSTANDING = 16;
/** The limit of unread response bytes of all connections together. */
export const MAX_UNREAD_BYTES = 64 * 1_048_576;
const CHECK_UNREAD_EVERY_MS = 100;
// Ignored requests cost parsing. After this many on one connection, its network cannot open another
// for a while; after MAX_IGNORED the connection is closed.
const BARRED_AFTER_IGNORED = 256;
const BARRED_MS = 5_000;
const MAX_BARRED = 10_000;
const MAX_IGNORED = 1_000;

export type LimitedConnections = {
  serverFactory: FastifyServerFactory;
  counts: ConnectionCounts;
  /** The last unfinished response of a connection. */
  findPending: (socket: Duplex) => ServerResponse | undefined;
  /** Closes connections on which no complete request waits for its response. */
  closeUnused: () => void;
};

/** Creates HTTP servers that limit connections, pipelined requests and unread responses. */
export function limitConnections(limits: ConnectionLimits): LimitedConnections {
  const counts: ConnectionCounts = { open: 0, refused: 0, ignored: 0, unreadBytes: 0, unread: 0 };
  const byNetwork = new Map<string, number>();
  const pipelines = new Map<Socket, Pipeline>();
  /** Networks that cannot open connections, and until when. */
  const barred = new Map<string, number>();
  const bar = (address: string | undefined) => {
    if (address === undefined || limits.isTrusted(address)) return;
    if (barred.size >= MAX_BARRED) barred.clear();
    barred.set(clientNetwork(address), performance.now() + BARRED_MS);
  };

  const accept = (socket: Socket) => {
    const { remoteAddress: address } = socket;
    const network = address === undefined || limits.isTrusted(address) ? null : clientNetwork(address);
    const openFromNetwork = network === null ? 0 : (byNetwork.get(network) ?? 0);
    const isBarred = network !== null && (barred.get(network) ?? 0) > performance.now();
    if (openFromNetwork >= limits.maxPerNetwork || isBarred) {
      counts.refused += 1;
      socket.destroy();
      limits.onRefused(address);
      return;
    }
    counts.open += 1;
    if (network !== null) byNetwork.set(network, openFromNetwork + 1);
    pipelines.set(socket, { responses: [], isClosing: false, ignored: 0 });
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
    const listener = limitOutstanding(handler, pipelines, counts, bar);
    const server: Server & { dropMaxConnection?: boolean } = createServer(http, listener);
    server.keepAliveTimeout = keepAliveTimeout;
    server.requestTimeout = requestTimeout;
    server.maxConnections = limits.maxConnections;
    // Close the connection instead of passing it to another process of the cluster.
    server.dropMaxConnection = true;
    server.on("drop", () => {
      counts.refused += 1;
    });
    server.prependListener("connection", accept);
    const timer = setInterval(() => closeUnread(pipelines, counts), CHECK_UNREAD_EVERY_MS).unref();
    server.on("close", () => clearInterval(timer));
    return server;
  };
  const findPending = (socket: Duplex) =>
    pipelines.get(socket as Socket)?.responses.findLast((response) => !response.writableFinished);
  const closeUnused = () => {
    for (const [socket, pipeline] of pipelines) {
      dropFinished(pipeline);
      if (!pipeline.responses.some(({ req }) => req.complete)) socket.destroy();
    }
  };
  return { serverFactory, counts, findPending, closeUnused };
}

type ServerSettings = {
  http?: Parameters<typeof createServer>[0];
  keepAliveTimeout?: number;
  requestTimeout?: number;
};

/** The state of a connection. `responses` may contain a few that are finished. */
type Pipeline = { responses: ServerResponse[]; isClosing: boolean; ignored: number };

/** Responses finish in order. Polling them is cheaper than a listener on each. */
function dropFinished({ responses }: Pipeline): void {
  while (responses[0]?.writableFinished) responses.shift();
}

/**
 * Node emits every pipelined request it has read, without backpressure. So the response to the
 * request that reaches the limit closes the connection, and later requests are ignored. The client
 * may retry them (RFC 9112, 9.3.2).
 */
function limitOutstanding(
  handler: RequestListener,
  pipelines: ReadonlyMap<Socket, Pipeline>,
  counts: ConnectionCounts,
  bar: (address: string | undefined) => void,
): RequestListener {
  return (request, response) => {
    const pipeline = pipelines.get(request.socket);
    if (pipeline === undefined) return request.socket.destroy();
    if (pipeline.isClosing) {
      counts.ignored += 1;
      pipeline.ignored += 1;
      if (pipeline.ignored === BARRED_AFTER_IGNORED) bar(request.socket.remoteAddress);
      if (pipeline.ignored > MAX_IGNORED) request.socket.destroy();
      return;
    }
    dropFinished(pipeline);
    pipeline.responses.push(response);
    if (pipeline.responses.length === MAX_OUTSTANDING) {
      pipeline.isClosing = true;
      response.setHeader("connection", "close");
    }
    handler(request, response);
  };
}

/** Closes the connections with the most unread bytes until the total is within the limit. */
function closeUnread(pipelines: ReadonlyMap<Socket, Pipeline>, counts: ConnectionCounts): void {
  const unread: { socket: Socket; bytes: number }[] = [];
  let total = 0;
  for (const [socket, pipeline] of pipelines) {
    dropFinished(pipeline);
    let bytes = 0;
    for (const { writableLength } of pipeline.responses) bytes += writableLength;
    if (bytes > 0) unread.push({ socket, bytes });
    total += bytes;
  }
  if (total > MAX_UNREAD_BYTES) {
    for (const { socket, bytes } of unread.sort((a, b) => b.bytes - a.bytes)) {
      socket.destroy();
      counts.unread += 1;
      total -= bytes;
      if (total <= MAX_UNREAD_BYTES) break;
    }
  }
  counts.unreadBytes = total;
}
