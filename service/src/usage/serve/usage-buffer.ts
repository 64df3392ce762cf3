import { MAX_BATCH_COUNTS, type UsageBatch, type UsageCount } from "#usage/record-usage.ts";
import { createTopValues, type TopValues } from "./top-values.ts";
import { MAX_VALUES, type Usage } from "./usage-counter.ts";

/** About 15 MiB. Reached only if the primary is away while very many keys are used. */
export const MAX_COUNTS = 50_000;
/** Six kinds on three days. The database accepts 10,000 marks in a batch, 500 of each group. */
const MAX_MARK_GROUPS = 20;

export type UsageBuffer = {
  /** Returns how many requests found no room. */
  add: (usage: Usage) => number;
  /** Removes the next batch, in the order of arrival; null if the buffer is empty. */
  takeBatch: () => Pick<UsageBatch, "counts" | "marks"> | null;
  /** The requests in the buffer. */
  countRequests: () => number;
};

export const sumRequests = (counts: Iterable<UsageCount>): number =>
  Iterator.from(counts).reduce((sum, { requests }) => sum + requests, 0);

/** Adds up usage until it can be written, in bounded memory. */
export function createUsageBuffer(): UsageBuffer {
  const counts = new Map<string, UsageCount>();
  const marks = new Map<string, { day: string; kind: Usage["marks"][number]["kind"]; values: TopValues }>();

  function addCount(count: UsageCount): number {
    const name = `${count.day} ${count.client} ${count.endpoint} ${count.status}`;
    const stored = counts.get(name);
    if (stored !== undefined) {
      stored.requests += count.requests;
      if (count.last_at > stored.last_at) stored.last_at = count.last_at;
    } else if (counts.size < MAX_COUNTS) counts.set(name, { ...count });
    else return count.requests;
    return 0;
  }

  function addMark({ day, kind, value, requests }: Usage["marks"][number]): void {
    const name = `${day} ${kind}`;
    let group = marks.get(name);
    if (group === undefined) {
      const [oldest] = marks.keys();
      if (marks.size >= MAX_MARK_GROUPS) marks.delete(oldest as string);
      group = { day, kind, values: createTopValues(MAX_VALUES) };
      marks.set(name, group);
    }
    group.values.add(value, requests);
  }

  return {
    add(usage) {
      let lost = usage.lost;
      for (const count of usage.counts) lost += addCount(count);
      for (const mark of usage.marks) addMark(mark);
      return lost;
    },
    takeBatch() {
      if (counts.size === 0 && marks.size === 0) return null;
      const batch = [...counts].slice(0, MAX_BATCH_COUNTS);
      for (const [name] of batch) counts.delete(name);
      const taken = [...marks.values()].flatMap(({ day, kind, values }) =>
        values.take().map(([value, requests]) => ({ day, kind, value, requests })),
      );
      marks.clear();
      return { counts: batch.map(([, count]) => count), marks: taken };
    },
    countRequests: () => sumRequests(counts.values()),
  };
}
