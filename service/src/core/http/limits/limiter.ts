import { countRefusal, spend, WINDOW_MS, waitOf } from "./bucket.ts";
import { type Buckets, type Client, createBuckets } from "./bucket-store.ts";

export type Admission = {
  /** 0 if the request is admitted, else how long the client must wait. */
  waitMs: number;
  /** Points that the client can spend now. */
  remaining: number;
  /** When it can spend the whole limit again. */
  fullInMs: number;
  /** Refusals of the client in this window, with this one; 0 if the request is admitted. */
  refusals: number;
};

export type Limiter = {
  /**
   * Admits a request and charges it, or refuses it, which costs nothing. A cost above the limit is
   * charged as the whole limit, so that a client that has spent nothing can send any request.
   */
  admit: (client: Client, points: number, limit: number) => Admission;
  size: () => number;
};

/** `now`: milliseconds on a clock that never jumps. */
export function createLimiter(
  now: () => number = () => performance.now(),
  buckets: Buckets = createBuckets(),
): Limiter {
  return {
    admit(client, points, limit) {
      const at = now();
      const msPerPoint = WINDOW_MS / limit;
      const ms = Math.min(points, limit) * msPerPoint;
      const bucket = buckets.find(client, at);
      const waitMs = waitOf(bucket, ms, at);
      if (waitMs === 0) spend(bucket, ms, at);
      const fullInMs = Math.max(0, bucket.drainedAt - at);
      // Times have fractions, so a whole number of points may come out slightly smaller.
      const remaining = Math.max(0, Math.floor((WINDOW_MS - fullInMs) / msPerPoint + 0.001));
      const refusals = waitMs === 0 ? 0 : countRefusal(bucket, at);
      return { waitMs, fullInMs, remaining, refusals };
    },
    size: buckets.size,
  };
}
