import { Overloaded } from "#store/engine/failures.ts";

/** What is waiting goes out as soon as the batch before it is back; a batch that is slow is overtaken by one more. */
const LANES = 2;
const SLOW_MS = 20;
const LARGEST_BATCH = 100;
/** More than this are not kept waiting: whoever comes then is better told to come back. */
export const MOST_WAITING = 2_000;
/** Made once: to trace each one takes time when there is none. */
const TOO_MANY = new Overloaded("look-ups");

/** How many wait, and how many have been refused since the start. */
export type Gathering = { depth: () => number; refused: () => number };
export type LookUp<Key, Row> = ((key: Key) => Promise<Row | null>) & Gathering;

/**
 * Makes one question of many: keys that are asked for while the database is answering others are gathered and asked for together.
 * At rest a key goes out at once, under load a hundred share a statement, and nobody waits longer than for a statement of their own.
 */
export function coalesce<Key, Row>(ask: (keys: Key[]) => Promise<Map<Key, Row>>): LookUp<Key, Row> {
  let waiting = new Map<Key, PromiseWithResolvers<Row | null>>();
  let asked = 0;
  let refused = 0;
  let lastAskedAt = Number.NEGATIVE_INFINITY;
  let scheduled = false;

  /** After what has arrived together has been read, so that it goes out together. */
  const schedule = () => {
    // Before a batch counts as slow, its timer sees to whoever waits.
    if (scheduled || asked === LANES || (asked > 0 && performance.now() - lastAskedAt < SLOW_MS)) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      send();
    });
  };

  function send(): void {
    if (waiting.size === 0 || asked === LANES) return;
    if (asked > 0 && performance.now() - lastAskedAt < SLOW_MS) return;
    const batch = takeBatch();
    asked += 1;
    lastAskedAt = performance.now();
    const overtake = setTimeout(send, SLOW_MS + 1);
    const done = () => {
      clearTimeout(overtake);
      asked -= 1;
      lastAskedAt = Number.NEGATIVE_INFINITY;
      send();
    };
    ask([...batch.keys()]).then(
      (rows) => {
        // The next batch is on its way while this one is answered.
        done();
        for (const [key, { resolve }] of batch) resolve(rows.get(key) ?? null);
      },
      (error) => {
        done();
        for (const { reject } of batch.values()) reject(error);
      },
    );
  }

  function takeBatch(): typeof waiting {
    if (waiting.size <= LARGEST_BATCH) {
      const all = waiting;
      waiting = new Map();
      return all;
    }
    const batch = new Map([...waiting].slice(0, LARGEST_BATCH));
    for (const key of batch.keys()) waiting.delete(key);
    return batch;
  }

  const lookUp = (key: Key): Promise<Row | null> => {
    const same = waiting.get(key);
    if (same !== undefined) return same.promise;
    if (waiting.size >= MOST_WAITING) {
      refused += 1;
      return Promise.reject(TOO_MANY);
    }
    const own = Promise.withResolvers<Row | null>();
    waiting.set(key, own);
    schedule();
    return own.promise;
  };
  return Object.assign(lookUp, { depth: () => waiting.size, refused: () => refused });
}
