import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import type { LimitedConnections } from "#core/http/connections/connection-limits.ts";
import type { Responder } from "./respond.ts";

type Connection = Duplex & { bytesRead?: number };

/** Responds to bytes that the HTTP parser refused. */
export function clientErrorHandler(findPending: LimitedConnections["findPending"], { respondOnSocket }: Responder) {
  return (error: NodeJS.ErrnoException, socket: Connection): void => {
    // No response to a connection that was reset, or that timed out before its first request.
    if (error.code === "ECONNRESET" || !socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const code = error.code === "HPE_HEADER_OVERFLOW" ? "headers_too_large" : "bad_request";
    // Earlier requests of the connection get their responses first.
    const pending = findPending(socket);
    if (pending === undefined) respondOnSocket(socket, code);
    else
      pending.once("finish", () => {
        if (socket.writable) respondOnSocket(socket, code);
      });
  };
}

/**
 * Requests that Node does not pass to the framework: an `Expect` header is ignored, CONNECT gets
 * 405.
 */
export function respondOutsideFramework(server: Server, { respondOnSocket }: Responder): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => {
    // Node has removed its own listener. Without one, a reset would end the process.
    socket.on("error", () => {});
    respondOnSocket(socket, "method_not_allowed");
  });
}
