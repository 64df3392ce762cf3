import { Overloaded } from "#core/database/failures.ts";

/** Admission control: runs a job now or later, or rejects it if too many are waiting. */
export type FairQueue = {
  /** `client` is who asked for the job: clients take turns. */
  run: <Result>(client: string, job: () => Promise<Result>) => Promise<Result>;
  waiting: () => number;
  rejected: () => number;
};

/**
 * Jobs that may wait in a fair queue: as many as a client with a key may send at once within its points.
 * Four such clients have places.
 */
export const MAX_WAITING_JOBS = { client: 250, total: 1_000 };

export type FairQueueLimits = {
  maxRunning: number;
  /** How many jobs may wait, of a client and of all together. */
  maxWaiting: { client: number; total: number };
  /** A job that waited longer is not run. */
  maxWaitMs: number;
};

type Waiting = { since: number; start: () => void; reject: (error: Error) => void };

/**
 * Clients take turns, each with its jobs in the order of their arrival: a client with one job waits
 * for one job of each other client at most. If the queue is full, the newest job of the client with
 * the most jobs makes room for a client with at least two jobs less. A job of several statements is
 * rejected before its first statement, never halfway.
 */
export function createFairQueue(name: string, { maxRunning, maxWaiting, maxWaitMs }: FairQueueLimits): FairQueue {
  // Shared instance: capturing a stack trace per rejection is slow under overload.
  const queueFull = new Overloaded(name);
  /** Clients with waiting jobs. The next turn is that of the first. */
  const queues = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;
  let rejected = 0;

  function rejectJob({ reject }: Waiting): void {
    waiting -= 1;
    rejected += 1;
    reject(queueFull);
  }

  /** Rejects a waiting job in favour of a client. Returns whether there is room now. */
  function makeRoom(client: string): boolean {
    let longest: [string, Waiting[]] | null = null;
    let most = (queues.get(client)?.length ?? 0) + 1;
    for (const entry of queues) {
      if (entry[1].length <= most) continue;
      most = entry[1].length;
      longest = entry;
    }
    if (longest === null) return false;
    rejectJob(longest[1].pop() as Waiting);
    return true;
  }

  function enter(client: string): Promise<void> | null {
    if (running < maxRunning) {
      running += 1;
      return null;
    }
    const queue = queues.get(client) ?? [];
    if (queue.length >= maxWaiting.client || (waiting >= maxWaiting.total && !makeRoom(client))) {
      rejected += 1;
      throw queueFull;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.push({ since: performance.now(), start: resolve, reject });
    queues.set(client, queue);
    waiting += 1;
    return promise;
  }

  /** Takes the next job whose request can still be answered in time. */
  function takeNext(): Waiting | null {
    for (const [client, queue] of queues) {
      queues.delete(client);
      const since = performance.now() - maxWaitMs;
      let next = queue.shift();
      for (; next !== undefined && next.since <= since; next = queue.shift()) rejectJob(next);
      // The last in turn now.
      if (queue.length > 0) queues.set(client, queue);
      if (next !== undefined) return next;
    }
    return null;
  }

  function leave(): void {
    const next = takeNext();
    if (next === null) {
      running -= 1;
      return;
    }
    // It takes the place of the job that has ended.
    waiting -= 1;
    next.start();
  }

  return {
    async run(client, job) {
      await enter(client);
      try {
        return await job();
      } finally {
        leave();
      }
    },
    waiting: () => waiting,
    rejected: () => rejected,
  };
}
