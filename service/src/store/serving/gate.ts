import { Overloaded } from "#store/engine/failures.ts";

/** Admission control: runs a job now or later, or rejects it if too many are waiting. */
export type Gate = {
  /** `client` is who asked for the job: a full gate prefers clients with few jobs. */
  run: <Result>(client: string, job: () => Promise<Result>) => Promise<Result>;
  waiting: () => number;
  rejected: () => number;
};

/** A request is answered within this time, so a job that waited longer is not run. */
const MAX_WAIT_MS = 3_500;

type Waiting = { client: string; since: number; start: () => void; reject: (error: Error) => void };

/**
 * Jobs run in the order of their arrival. If the gate is full, the newest waiting job of the client
 * with the most jobs makes room for a client with at least two jobs less. So no client can take the
 * gate from others, and a client that is alone can use all of it. A job of several statements is
 * rejected before its first statement, never halfway.
 */
export function createGate(name: string, maxRunning: number, maxWaiting: number): Gate {
  // Shared instance: capturing a stack trace per rejection is slow under overload.
  const gateFull = new Overloaded(name);
  const jobs = new Map<string, number>();
  const waiting: Waiting[] = [];
  let running = 0;
  let rejected = 0;

  const countJob = (client: string, change: number): void => {
    const count = (jobs.get(client) ?? 0) + change;
    if (count === 0) jobs.delete(client);
    else jobs.set(client, count);
  };

  /** Rejects a waiting job in favour of this client. Returns whether there is room now. */
  function makeRoom(client: string): boolean {
    const few = (jobs.get(client) ?? 0) + 1;
    let newest = -1;
    for (let at = waiting.length - 1, most = few; at >= 0; at -= 1) {
      const count = jobs.get((waiting[at] as Waiting).client) ?? 0;
      if (count <= most) continue;
      most = count;
      newest = at;
    }
    const [evicted] = newest === -1 ? [] : waiting.splice(newest, 1);
    if (evicted === undefined) return false;
    countJob(evicted.client, -1);
    rejected += 1;
    evicted.reject(gateFull);
    return true;
  }

  async function enter(client: string): Promise<void> {
    if (running < maxRunning) {
      running += 1;
      return;
    }
    if (waiting.length >= maxWaiting && !makeRoom(client)) {
      countJob(client, -1);
      rejected += 1;
      throw gateFull;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ client, since: performance.now(), start: resolve, reject });
    await promise;
  }

  function leave(client: string): void {
    countJob(client, -1);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // The next job takes the place of this one.
      if (performance.now() - next.since < MAX_WAIT_MS) {
        next.start();
        return;
      }
      countJob(next.client, -1);
      rejected += 1;
      next.reject(gateFull);
    }
    running -= 1;
  }

  return {
    async run(client, job) {
      countJob(client, 1);
      await enter(client);
      try {
        return await job();
      } finally {
        leave(client);
      }
    },
    waiting: () => waiting.length,
    rejected: () => rejected,
  };
}
