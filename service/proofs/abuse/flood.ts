import type { Socket } from "node:net";
import type { AttackContext } from "./attack.ts";
import { answerCounter, type Counts, holdConnections, noCounts } from "./raw-connections.ts";

export type Flood = {
  connections: number;
  /** Requests that may be outstanding on a connection at a time. */
  depth: number;
  /** The next request, as it is sent; `at` counts from 0. */
  request: (at: number) => string;
  perSecond?: number;
  /** Stops after so many. */
  most?: number;
  /** In place of the context's, for a flood that ends by its number. */
  durationMs?: number;
};

const MOST_ATTEMPTS = 50_000;
const PACE_EVERY_MS = 5;

/** Sends requests as fast as they are answered, or at a rate, and reads every answer. Connections that are closed are replaced. */
export async function flood({ port, durationMs }: AttackContext, plan: Flood): Promise<Counts> {
  const counts = noCounts();
  const most = plan.most ?? Number.POSITIVE_INFINITY;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), plan.durationMs ?? durationMs);
  const started = performance.now();
  const fills = new Set<() => void>();
  let outstanding = 0;

  const allowed = (): number => {
    const due = plan.perSecond === undefined ? most : ((performance.now() - started) * plan.perSecond) / 1_000;
    return Math.min(most, Math.floor(due)) - counts.requests;
  };
  const use = (socket: Socket): void => {
    const countAnswers = answerCounter(counts);
    let own = 0;
    const change = (by: number) => {
      own += by;
      outstanding += by;
    };
    const fill = () => {
      const sent = Math.min(plan.depth - own, allowed());
      if (sent <= 0) return;
      let bytes = "";
      for (let at = 0; at < sent; at += 1) bytes += plan.request(counts.requests + at);
      counts.requests += sent;
      change(sent);
      socket.write(bytes, "latin1");
    };
    socket.on("data", (chunk) => {
      change(-Math.min(own, countAnswers(chunk)));
      if (counts.requests >= most && outstanding === 0) over.abort();
      fill();
    });
    socket.once("close", () => {
      fills.delete(fill);
      change(-own);
    });
    fills.add(fill);
    fill();
  };
  const pace = setInterval(() => {
    if (plan.perSecond !== undefined) for (const fill of fills) fill();
  }, PACE_EVERY_MS);
  const { signal } = over;
  await holdConnections({
    ...{ port, connections: plan.connections, addresses: 1, mostAttempts: MOST_ATTEMPTS },
    ...{ signal, counts, reading: true, use },
  });
  clearTimeout(timer);
  clearInterval(pace);
  return counts;
}
