import { spend } from "./bucket.ts";
import { type Buckets, createBuckets } from "./bucket-store.ts";

/** What a process has spent: bucket, milliseconds of the window, time of the first request. */
export type Report = [name: string, ms: number, since: number][];

/** The state of buckets, as all processes have reported it. */
export type Totals = [name: string, drainedAt: number, busySince: number][];

export type SharedTotals = {
  /** Adds the report of a process. Returns what has changed since its last report. */
  merge: (processId: number, report: Report, now: number) => Totals;
  /** Forgets a process that has ended. */
  forget: (processId: number) => void;
};

/** The buckets of a node, in its first process. All other processes report to it. */
export function createSharedTotals(buckets: Buckets = createBuckets()): SharedTotals {
  const changed = new Map<number, Set<string>>();
  return {
    merge(processId, report, now) {
      if (!changed.has(processId)) changed.set(processId, new Set());
      for (const [name, ms, since] of report) {
        const bucket = buckets.findByName(name, now);
        if (bucket === null) continue;
        spend(bucket, ms, since);
        for (const names of changed.values()) names.add(name);
      }
      const names = changed.get(processId) as Set<string>;
      const totals: Totals = [];
      for (const name of names) {
        const bucket = buckets.findByName(name, now);
        if (bucket !== null) totals.push([name, bucket.drainedAt, bucket.busySince]);
      }
      names.clear();
      return totals;
    },
    forget: (processId) => void changed.delete(processId),
  };
}
