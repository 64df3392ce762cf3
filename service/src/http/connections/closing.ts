import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import type { FastifyInstance } from "fastify";

/** Closes only the port. http's `close` would also close idle connections, and lose requests. */
export function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** Closes each connection as soon as it is idle, without waiting for the keep-alive timeout. */
export async function closeWhenIdle(app: FastifyInstance): Promise<void> {
  const timer = setInterval(() => app.server.closeIdleConnections(), 100);
  await app.close().finally(() => clearInterval(timer));
}
