import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Accepts the X-Request-Id of a trusted proxy, and generates an id for all other requests. */
export function createRequestIds(isTrusted: (address: string | undefined) => boolean) {
  return (request: Pick<IncomingMessage, "headers" | "socket">): string => {
    const header = request.headers["x-request-id"];
    const isUsable = typeof header === "string" && /^[\w.-]{1,64}$/.test(header);
    return isUsable && isTrusted(request.socket.remoteAddress) ? header : randomUUID();
  };
}
