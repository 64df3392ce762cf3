import { Overloaded } from "#core/database/failures.ts";
import type { QueueCounters } from "#core/readers/bounded-pool.ts";

/** The second batch is sent only while the first is slow. */
const MAX_BATCHES_IN_FLIGHT = 2;
const SLOW_MS = 20;
const MAX_BATCH_SIZE = 100;
export const MAX_QUEUED_LOOK_UPS = 2_000;
/** Shared instance: capturing a stack trace per rejection is slow under overload. */
const QUEUE_FULL = new Overloaded("look-ups");

/** Loads the row of a key; null if there is none. */
export type LookUp<Key, Row> = ((key: Key) => Promise<Row | null>) & QueueCounters;

/**
 * Batches look-ups by key: keys requested while a batch is in flight are queued, and sent together
 * when it returns. An idle database gets each key at once; a busy one gets up to 100 per statement.
 * A slow batch delays others by 20 ms at most, unless a second one is slow as well.
 */
export function coalesce<Key, Row>(load: (keys: Key[]) => Promise<Map<Key, Row>>): LookUp<Key, Row> {
  let queued = new Map<Key, PromiseWithResolvers<Row | null>>();
  let inFlight = 0;
  let rejected = 0;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  let scheduled = false;

  const isBusy = () => inFlight === MAX_BATCHES_IN_FLIGHT || (inFlight > 0 && performance.now() - lastSentAt < SLOW_MS);

  /** Sends after all requests that arrived together have been read, so that they share a batch. */
  const schedule = () => {
    // A busy look-up sends when a batch returns, or by the timer of a slow batch.
    if (scheduled || isBusy()) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      send();
    });
  };

  function send(): void {
    if (queued.size === 0 || isBusy()) return;
    const batch = takeBatch();
    inFlight += 1;
    lastSentAt = performance.now();
    const slowTimer = setTimeout(send, SLOW_MS + 1);
    const done = () => {
      clearTimeout(slowTimer);
      inFlight -= 1;
      lastSentAt = Number.NEGATIVE_INFINITY;
      send();
    };
    load([...batch.keys()]).then(
      (rows) => {
        // Send the next batch before resolving this one, so that the database does not wait.
        done();
        for (const [key, { resolve }] of batch) resolve(rows.get(key) ?? null);
      },
      (error) => {
        done();
        for (const { reject } of batch.values()) reject(error);
      },
    );
  }

  function takeBatch(): typeof queued {
    if (queued.size <= MAX_BATCH_SIZE) {
      const all = queued;
      queued = new Map();
      return all;
    }
    const batch = new Map([...queued].slice(0, MAX_BATCH_SIZE));
    for (const key of batch.keys()) queued.delete(key);
    return batch;
  }

  const lookUp = (key: Key): Promise<Row | null> => {
    const same = queued.get(key);
    if (same !== undefined) return same.promise;
    if (queued.size >= MAX_QUEUED_LOOK_UPS) {
      rejected += 1;
      return Promise.reject(QUEUE_FULL);
    }
    const entry = Promise.withResolvers<Row | null>();
    queued.set(key, entry);
    schedule();
    return entry.promise;
  };
  return Object.assign(lookUp, { depth: () => queued.size, limit: MAX_QUEUED_LOOK_UPS, rejected: () => rejected });
}
