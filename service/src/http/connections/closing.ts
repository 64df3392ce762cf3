import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import type { FastifyInstance } from "fastify";

/** Closes only the port. `Server.close` of node:http also closes idle connections, on which a request may be on its way. */
export function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** Closes each connection as soon as it is idle. Otherwise a busy one would stay open for the keep-alive timeout. */
export async function closeWhenIdle(app: FastifyInstance): Promise<void> {
  const timer = setInterval(() => app.server.closeIdleConnections(), 100);
  await app.close().finally(() => clearInterval(timer));
}
