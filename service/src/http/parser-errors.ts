import type { Server } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ERRORS, type ErrorCode, errorBody } from "@credence/contract/errors.ts";
import type { Config } from "#config.ts";
import { errorHeaders } from "./v1/errors.ts";

/** A whole answer as bytes, for where there is no request to reply to. The connection ends with it. */
export function rawError(config: Config, code: ErrorCode): string {
  const body = errorBody(code);
  const { status } = ERRORS[code];
  const headers = { ...errorHeaders(config, code), "content-length": Buffer.byteLength(body), connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

/** What the HTTP parser could not read is answered in our shape too. */
export function clientErrorHandler(config: Config) {
  const tooLarge = rawError(config, "headers_too_large");
  const unreadable = rawError(config, "bad_request");
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // A connection that was reset, or that already carries the beginning of an answer, is not written to.
    const answer = (socket as Duplex & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
    if (error.code === "ECONNRESET" || !socket.writable || answer?.headersSent) {
      socket.destroy();
      return;
    }
    socket.end(error.code === "HPE_HEADER_OVERFLOW" ? tooLarge : unreadable);
  };
}

/** Requests that Node keeps from the framework: an `Expect` is ignored, CONNECT is a method like others. */
export function answerOutsideFramework(server: Server, config: Config): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => socket.end(rawError(config, "method_not_allowed")));
}
