import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** A request's id: a proxy we trust may name it, everyone else gets a new one. */
export function createRequestIds(isTrusted: (address: string | undefined) => boolean) {
  return (request: Pick<IncomingMessage, "headers" | "socket">): string => {
    const given = request.headers["x-request-id"];
    const usable = typeof given === "string" && /^[\w.-]{1,64}$/.test(given);
    return usable && isTrusted(request.socket.remoteAddress) ? given : randomUUID();
  };
}
