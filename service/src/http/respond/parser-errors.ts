import { randomUUID } from "node:crypto";
import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ERRORS, type ErrorCode, errorBody } from "@credence/contract/errors.ts";
import type { Config } from "#config.ts";
import type { LimitedConnections } from "#http/connections/connection-limits.ts";
import type { ObserveRequest } from "#http/metrics/request-counts.ts";
import { errorHeaders } from "./errors.ts";

/** A whole answer as bytes, for where there is no request to reply to. The connection ends with it. */
function rawError(config: Config, code: ErrorCode): string {
  const body = errorBody(code);
  const { status } = ERRORS[code];
  const headers = {
    ...errorHeaders(config, code),
    "x-request-id": randomUUID(),
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

type Connection = Duplex & { bytesRead?: number };

/** What the HTTP parser could not read is answered in our shape too. */
export function clientErrorHandler(
  config: Config,
  observe: ObserveRequest,
  findPending: LimitedConnections["findPending"],
) {
  return (error: NodeJS.ErrnoException, socket: Connection): void => {
    // Nobody listens on a connection that was reset, and nobody has asked anything on one that stayed silent.
    if (error.code === "ECONNRESET" || !socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const code = error.code === "HPE_HEADER_OVERFLOW" ? "headers_too_large" : "bad_request";
    const answer = rawError(config, code);
    observe("none", ERRORS[code].status, 0);
    // Requests that came before the unreadable one get their responses first.
    const pending = findPending(socket);
    if (pending === undefined) socket.end(answer);
    else pending.once("finish", () => socket.end(answer));
  };
}

/** Requests that Node keeps from the framework: an `Expect` is ignored, CONNECT is a method like others. */
export function answerOutsideFramework(server: Server, config: Config, observe: ObserveRequest): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => {
    observe("none", ERRORS.method_not_allowed.status, 0);
    socket.end(rawError(config, "method_not_allowed"));
  });
}
