import { createBuckets } from "#core/http/limits/bucket-store.ts";
import { createLimiter, type Limiter } from "#core/http/limits/limiter.ts";
import { createSharedTotals } from "#core/http/limits/shared-totals.ts";

const SYNC_EVERY_MS = 200;

/** The limiters of the processes of a node, in simulated time. */
export function simulateNode(processes: number): { limiters: Limiter[]; advanceTo: (time: number) => void } {
  let time = 0;
  let syncedAt = 0;
  const limiters = Array.from({ length: processes }, () =>
    createLimiter({ now: () => time, buckets: createBuckets(1), isShared: processes > 1 }),
  );
  const totals = createSharedTotals(createBuckets(1));
  return {
    limiters,
    advanceTo(next) {
      while (processes > 1 && syncedAt + SYNC_EVERY_MS <= next) {
        syncedAt += SYNC_EVERY_MS;
        // The reports of the processes arrive one after the other, as in reality.
        for (const [index, limiter] of limiters.entries()) {
          time = Math.max(time, Math.min(next, syncedAt + index));
          limiter.applyTotals(totals.merge(index, limiter.takeReport(), time));
        }
      }
      time = Math.max(time, next);
    },
  };
}
