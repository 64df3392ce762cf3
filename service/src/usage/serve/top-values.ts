export type TopValues = {
  add: (value: string, count?: number) => void;
  /** Returns the values with their counts, and starts again. */
  take: () => [value: string, count: number][];
};

type Entry = { count: number };

/**
 * Counts the most frequent values in bounded memory (Misra–Gries). When a new value finds no room,
 * the counts of all values decrease. A count is too low by at most 1/`size` of all that was added,
 * so no flood of rare values can displace a frequent one. The decrease costs amortized constant
 * time: it removes counts that were added before.
 */
export function createTopValues(size: number): TopValues {
  let entries = new Map<string, Entry>();

  function decreaseAll(by: number): number {
    let decrease = by;
    for (const { count } of entries.values()) if (count < decrease) decrease = count;
    for (const [value, entry] of entries) {
      entry.count -= decrease;
      if (entry.count === 0) entries.delete(value);
    }
    return decrease;
  }

  return {
    add(value, count = 1) {
      const entry = entries.get(value);
      if (entry !== undefined) {
        entry.count += count;
        return;
      }
      const rest = entries.size < size ? count : count - decreaseAll(count);
      if (rest > 0) entries.set(value, { count: rest });
    },
    take() {
      const values = [...entries].map(([value, { count }]): [string, number] => [value, count]);
      entries = new Map();
      return values;
    },
  };
}
