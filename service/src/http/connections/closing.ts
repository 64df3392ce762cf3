import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import type { FastifyInstance } from "fastify";

/** Closes the port and nothing else: http's own close would also cut connections that are idle, and about to be used. */
export function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** A kept-alive connection that was busy when the port closed would stay for its time-out: it goes once it is idle. */
export async function closeWhenIdle(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 100);
  await app.close().finally(() => clearInterval(sweep));
}
