/** Limits are in points per window. A client can spend a whole window at once. */
export const WINDOW_MS = 10_000;

/**
 * The bucket of a client, as the time at which all that it has spent will have drained (GCRA). What
 * it spends is expressed in milliseconds of the window: a tenth of the limit is one second.
 */
export type Bucket = {
  drainedAt: number;
  /** Refused requests in the window that began at `refusalsSince`. */
  refusals: number;
  refusalsSince: number;
};

export const createBucket = (): Bucket => ({
  drainedAt: Number.NEGATIVE_INFINITY,
  refusals: 0,
  refusalsSince: Number.NEGATIVE_INFINITY,
});

/** Times have fractions: their sums may differ in the last bits. */
const TOLERANCE_MS = 0.001;

/** How long a client must wait until it can spend `ms`; 0 if it can now. */
export function waitOf({ drainedAt }: Bucket, ms: number, now: number): number {
  const waitMs = Math.max(drainedAt, now) + ms - now - WINDOW_MS;
  return waitMs > TOLERANCE_MS ? waitMs : 0;
}

export function spend(bucket: Bucket, ms: number, now: number): void {
  bucket.drainedAt = Math.max(bucket.drainedAt, now) + ms;
}

/** Returns the number of refusals in the current window, with this one. */
export function countRefusal(bucket: Bucket, now: number): number {
  if (now - bucket.refusalsSince >= WINDOW_MS) {
    bucket.refusalsSince = now;
    bucket.refusals = 0;
  }
  bucket.refusals += 1;
  return bucket.refusals;
}
