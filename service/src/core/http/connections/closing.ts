import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import type { FastifyInstance } from "fastify";

/** Closes only the port. http's `close` would also close idle connections, and lose requests. */
export function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** As long as headersTimeout, which Node no longer checks once the port is closed. */
const UNUSED_MS = 5_000;

/**
 * Closes each connection as soon as it is idle, without waiting for the keep-alive timeout. To Node,
 * a connection without a complete request is not idle: after a while `closeUnused` closes these.
 */
export async function closeWhenIdle(app: FastifyInstance, closeUnused: () => void): Promise<void> {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    app.server.closeIdleConnections();
    if (performance.now() - startedAt >= UNUSED_MS) closeUnused();
  }, 100);
  await app.close().finally(() => clearInterval(timer));
}
