export type Spread = { median: number; min: number; max: number };

const byValue = (a: number, b: number): number => a - b;

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted(byValue);
  const middle = Math.floor(sorted.length / 2);
  const median =
    sorted.length % 2 === 0 ? ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2 : (sorted[middle] ?? 0);
  return { median, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}

export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted(byValue);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? 0;
}
