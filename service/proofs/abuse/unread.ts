import type { Socket } from "node:net";
import { type AttackContext, requestOf } from "./attack.ts";
import { type Counts, holdConnections, noCounts } from "./raw-connections.ts";

/** Connections are replaced this often in the course of an attack, as the server may have closed them unseen. */
const ROUNDS = 4;
const MOST_ATTEMPTS = 10_000;
const LISTEN_MS = 200;

export type Unread = { connections: number; addresses: number; pipelined: number; path: string };

/** Sends many requests at once on each connection and reads nothing of the answers. */
export async function pipelineUnread({ port, durationMs }: AttackContext, plan: Unread): Promise<Counts> {
  const counts = noCounts();
  const requests = Buffer.from(requestOf(plan.path).repeat(plan.pipelined), "latin1");
  const use = (socket: Socket, abandon: () => void): void => {
    counts.requests += plan.pipelined;
    socket.write(requests);
    const timer = setTimeout(() => listenOnce(socket, abandon), durationMs / ROUNDS);
    socket.once("close", () => clearTimeout(timer));
  };
  const { connections, addresses } = plan;
  const signal = AbortSignal.timeout(durationMs);
  await holdConnections({
    ...{ port, connections, addresses, mostAttempts: MOST_ATTEMPTS, signal, counts, reading: false, use },
  });
  return counts;
}

/** A socket that is not read does not learn that it was closed: this one look tells an open connection from a refused one. */
function listenOnce(socket: Socket, abandon: () => void): void {
  socket.once("data", abandon);
  socket.resume();
  const timer = setTimeout(abandon, LISTEN_MS);
  socket.once("close", () => clearTimeout(timer));
}
