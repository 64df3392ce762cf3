import { countRefusal, spend, WINDOW_MS, waitOf } from "./bucket.ts";
import { type Buckets, type Client, createBuckets } from "./bucket-store.ts";
import type { Report, Totals } from "./shared-totals.ts";

/** The difference between the clock of the system and that of this process. */
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds on a clock that never jumps and is the same in all processes of a machine. */
export const monotonicNow = (): number => performance.now() + OFFSET_MS;

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
  /** What was spent since the last report, for the other processes of this node. */
  takeReport: () => Report;
  /** The totals of all processes. They contain everything that this process has reported. */
  applyTotals: (totals: Totals) => void;
  size: () => number;
};

export type LimiterOptions = {
  /** The same clock in all processes of a node. */
  now: () => number;
  buckets?: Buckets;
  /** Other processes of the node admit the same clients. */
  isShared?: boolean;
};

/** Decides in this process. */
export function createLimiter({ now, buckets = createBuckets(), isShared = false }: LimiterOptions): Limiter {
  const unreported = new Map<string, { ms: number; since: number }>();
  const note = (name: string, ms: number, since: number): void => {
    const known = unreported.get(name);
    if (known === undefined) unreported.set(name, { ms, since });
    else known.ms += ms;
  };
  return {
    admit(client, points, limit) {
      const at = now();
      const msPerPoint = WINDOW_MS / limit;
      const ms = Math.min(points, limit) * msPerPoint;
      const { name, bucket } = buckets.find(client, at);
      const waitMs = waitOf(bucket, ms, at);
      if (waitMs === 0) {
        spend(bucket, ms, at);
        if (isShared) note(name, ms, at);
      }
      const fullInMs = Math.max(0, bucket.drainedAt - at);
      // Times have fractions, so a whole number of points may come out slightly smaller.
      const remaining = Math.max(0, Math.floor((WINDOW_MS - fullInMs) / msPerPoint + 0.001));
      const refusals = waitMs === 0 ? 0 : countRefusal(bucket, at);
      return { waitMs, fullInMs, remaining, refusals };
    },
    takeReport() {
      const report: Report = Array.from(unreported, ([name, { ms, since }]) => [name, ms, since]);
      unreported.clear();
      return report;
    },
    applyTotals(totals) {
      for (const [name, drainedAt, busySince] of totals) {
        const bucket = buckets.findByName(name, now());
        if (bucket === null) continue;
        bucket.drainedAt = drainedAt;
        bucket.busySince = busySince;
        // Spent since the report that these totals contain.
        const later = unreported.get(name);
        if (later !== undefined) spend(bucket, later.ms, later.since);
      }
    },
    size: buckets.size,
  };
}
