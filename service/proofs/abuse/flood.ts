import type { Socket } from "node:net";
import type { AttackContext } from "./attack.ts";
import { type Counts, holdConnections, noCounts, responseCounter } from "./raw-connections.ts";

export type Flood = {
  connections: number;
  /** The number of source addresses, 1 by default, and the first half of each. */
  addresses?: number;
  network?: string;
  /** The maximum of outstanding requests per connection. */
  depth: number;
  /** Returns the bytes of the request with the number `at`, which counts from 0. */
  request: (at: number) => string;
  perSecond?: number;
  /** The flood ends after this number of requests. */
  maxRequests?: number;
  /** Overrides the duration of the context, for a flood that ends after `maxRequests`. */
  durationMs?: number;
};

const MAX_ATTEMPTS = 50_000;
const PACE_EVERY_MS = 5;

/** Sends requests at a rate or as fast as possible. Reads responses, reopens connections. */
export async function flood(
  { port, isTls, durationMs }: Pick<AttackContext, "port" | "isTls" | "durationMs">,
  plan: Flood,
): Promise<Counts> {
  const counts = noCounts();
  const maxRequests = plan.maxRequests ?? Number.POSITIVE_INFINITY;
  const over = new AbortController();
  const started = performance.now();
  const fills = new Set<() => void>();
  let outstanding = 0;

  const allowed = (): number => {
    const due = plan.perSecond === undefined ? maxRequests : ((performance.now() - started) * plan.perSecond) / 1_000;
    return Math.min(maxRequests, Math.floor(due)) - counts.requests;
  };
  const use = (socket: Socket): void => {
    const countResponses = responseCounter(counts);
    /** The outstanding requests of this connection. */
    let pending = 0;
    const change = (by: number) => {
      pending += by;
      outstanding += by;
      if (counts.requests >= maxRequests && outstanding === 0) over.abort();
    };
    const fill = () => {
      const sent = Math.min(plan.depth - pending, allowed());
      if (sent <= 0) return;
      let bytes = "";
      for (let index = 0; index < sent; index += 1) bytes += plan.request(counts.requests + index);
      counts.requests += sent;
      change(sent);
      socket.write(bytes, "latin1");
    };
    socket.on("data", (chunk) => {
      change(-Math.min(pending, countResponses(chunk)));
      fill();
    });
    socket.once("close", () => {
      fills.delete(fill);
      change(-pending);
    });
    fills.add(fill);
    fill();
  };
  const pace = setInterval(() => {
    if (plan.perSecond !== undefined) for (const fill of fills) fill();
  }, PACE_EVERY_MS);
  await holdConnections({
    ...{ port, isTls, connections: plan.connections, addresses: plan.addresses ?? 1, maxAttempts: MAX_ATTEMPTS },
    ...{ durationMs: plan.durationMs ?? durationMs, over, counts, reading: true, use },
    ...(plan.network !== undefined && { network: plan.network }),
  });
  clearInterval(pace);
  return counts;
}
