import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyServerFactory } from "fastify";

export type ConnectionLimits = {
  /** How many connections this process accepts, in all and from one address. */
  maxConnections: number;
  maxPerAddress: number;
  /** Proxies connect on behalf of many: they may open any number. */
  isTrusted: (address: string | undefined) => boolean;
  /** Called when a connection is closed because of its address. */
  onRefused: (address: string | undefined) => void;
};

/** What the limits have done since the start of this process. */
export type ConnectionCounts = {
  open: number;
  /** Connections that were closed at once. */
  refused: number;
  /** Pipelined requests that were not processed. */
  ignored: number;
  /** What clients have not read yet of their responses, and connections that were closed because that was too much. */
  unreadBytes: number;
  unread: number;
};

/** How many requests of one connection are processed at a time. A client that does not pipeline has one. */
const MOST_OUTSTANDING = 16;
/** How much of all responses together may lie unread in this process. */
const MOST_UNREAD_BYTES = 64 * 1_048_576;
const LOOK_EVERY_MS = 100;
/**
 * An ignored request still has to be parsed. A client that sends hundreds of them on one connection may open no other for a while, and
 * is cut off when it goes on.
 */
const BARRED_AFTER_IGNORED = 256;
const BARRED_MS = 5_000;
const MOST_BARRED = 10_000;
const MOST_IGNORED = 1_000;

export type LimitedConnections = {
  serverFactory: FastifyServerFactory;
  counts: ConnectionCounts;
  /** The last response of a connection that is not finished. */
  findPending: (socket: Duplex) => ServerResponse | undefined;
};

/** Makes servers that bound their connections, and counts what was refused. */
export function limitConnections(limits: ConnectionLimits): LimitedConnections {
  const counts: ConnectionCounts = { open: 0, refused: 0, ignored: 0, unreadBytes: 0, unread: 0 };
  const byAddress = new Map<string, number>();
  const pipelines = new Map<Socket, Pipeline>();
  /** Until when an address may open no connection. */
  const barred = new Map<string, number>();
  const bar = (address: string | undefined) => {
    if (address === undefined || limits.isTrusted(address)) return;
    if (barred.size >= MOST_BARRED) barred.clear();
    barred.set(address, performance.now() + BARRED_MS);
  };

  const accept = (socket: Socket) => {
    const { remoteAddress: address } = socket;
    const isCounted = address !== undefined && !limits.isTrusted(address);
    const fromThere = isCounted ? (byAddress.get(address) ?? 0) : 0;
    if (fromThere >= limits.maxPerAddress || (isCounted && (barred.get(address) ?? 0) > performance.now())) {
      counts.refused += 1;
      socket.destroy();
      limits.onRefused(address);
      return;
    }
    counts.open += 1;
    if (isCounted) byAddress.set(address, fromThere + 1);
    pipelines.set(socket, { responses: [], isClosing: false, ignored: 0 });
    socket.once("close", () => {
      counts.open -= 1;
      pipelines.delete(socket);
      if (!isCounted) return;
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left > 0) byAddress.set(address, left);
      else byAddress.delete(address);
    });
  };

  const serverFactory: FastifyServerFactory = (handler, options) => {
    const { http = {}, keepAliveTimeout = 0, requestTimeout = 0 } = options as ServerSettings;
    const listener = limitOutstanding(handler, pipelines, counts, bar);
    const server: Server & { dropMaxConnection?: boolean } = createServer(http, listener);
    server.keepAliveTimeout = keepAliveTimeout;
    server.requestTimeout = requestTimeout;
    server.maxConnections = limits.maxConnections;
    // Several processes share a port: a full one closes the connection and does not hand it on.
    server.dropMaxConnection = true;
    server.on("drop", () => {
      counts.refused += 1;
    });
    server.prependListener("connection", accept);
    const looking = setInterval(() => closeUnread(pipelines, counts), LOOK_EVERY_MS).unref();
    server.on("close", () => clearInterval(looking));
    return server;
  };
  const findPending = (socket: Duplex) =>
    pipelines.get(socket as Socket)?.responses.findLast((response) => !response.writableFinished);
  return { serverFactory, counts, findPending };
}

type ServerSettings = {
  http?: Parameters<typeof createServer>[0];
  keepAliveTimeout?: number;
  requestTimeout?: number;
};

/** The requests of a connection: the responses that are not finished, and at most a few that are. */
type Pipeline = { responses: ServerResponse[]; isClosing: boolean; ignored: number };

/** Responses finish in the order of their requests. Looking at them costs less than a listener on each. */
function dropFinished({ responses }: Pipeline): void {
  while (responses[0]?.writableFinished) responses.shift();
}

/**
 * Node hands over every pipelined request it has read, and cannot be made to wait. So the response to the last request that may be
 * outstanding closes the connection, and requests after it are not processed; a client may repeat them (RFC 9112, 9.3.2).
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
      if (pipeline.ignored > MOST_IGNORED) request.socket.destroy();
      return;
    }
    dropFinished(pipeline);
    pipeline.responses.push(response);
    if (pipeline.responses.length === MOST_OUTSTANDING) {
      pipeline.isClosing = true;
      response.setHeader("connection", "close");
    }
    handler(request, response);
  };
}

/** Closes the connections with the most unread bytes until the rest is within the limit. */
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
  if (total > MOST_UNREAD_BYTES) {
    for (const { socket, bytes } of unread.sort((one, other) => other.bytes - one.bytes)) {
      socket.destroy();
      counts.unread += 1;
      total -= bytes;
      if (total <= MOST_UNREAD_BYTES) break;
    }
  }
  counts.unreadBytes = total;
}
