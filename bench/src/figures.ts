import type { Results } from "./run-bench.ts";

export type Figure = { name: string; value: number; unit: string };

/** The results in one figure each. `smallest` is the run with the fewest people. */
export function figuresOf(results: Results, smallest?: Results): Figure[] {
  const { cases, keywords, burst, epoch, memoryMiB } = results;
  const figures: Figure[] = [];
  const add = (name: string, value: number, unit = "") => figures.push({ name, value, unit });
  const perSecond = (name: string) => cases[name]?.perSecond.median ?? Number.NaN;
  const addRatio = (name: string, reference: string, referenceName: string) =>
    add(`${name} / ${referenceName}, requests a second`, perSecond(name) / perSecond(reference));

  addRatio("warm by id", "limit: a passport's size", "the limit");
  addRatio("cold by id", "limit: a passport's size", "the limit");
  addRatio("cold by wallet", "limit: a passport's size", "the limit");
  addRatio("cold credentials", "limit: credentials' size", "the limit");
  addRatio("cold by id", "bare engine by id", "the bare engine");
  if (cases["list, last pages"] !== undefined) {
    const p50 = (name: string) => cases[name]?.p50?.median ?? Number.NaN;
    add("last page / first page, median latency", p50("list, last pages") / p50("list, first pages"));
  }
  if (keywords.all !== undefined) add("any keyword, p99", keywords.all.p99, "ms");
  if (burst !== undefined) add("by id, p99 during / without a keyword burst", burst.burstP99 / burst.quietP99);
  if (epoch !== undefined) add("build of the list, while serving", epoch.seconds / 60, "min");
  if (smallest !== undefined && smallest !== results) {
    const name = `CPU time of a cold look-up / with ${smallest.plan.people.toLocaleString("en")} people`;
    add(name, coldLookUpCpu(results) / coldLookUpCpu(smallest));
  }
  if (memoryMiB !== undefined) add("memory of the service after the load", memoryMiB.at(-1) ?? 0, "MiB");
  return figures;
}

function coldLookUpCpu({ cases }: Results): number {
  const { nodeMicroseconds, databaseMicroseconds } = cases["cold by id"] ?? {};
  return (nodeMicroseconds?.median ?? 0) + (databaseMicroseconds?.median ?? 0);
}
