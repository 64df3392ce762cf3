import type { Results } from "./run-bench.ts";

/** A result with the value it must reach (`goal`) and the value it should reach (`target`). */
export type Figure = {
  name: string;
  value: number;
  unit: string;
  goal: number;
  target: number;
  better: "higher" | "lower";
};

/** The results that have a goal. `smallest` is the run with the fewest people. */
export function figuresOf(results: Results, smallest?: Results): Figure[] {
  const { cases, keywords, burst, epoch, memoryMiB } = results;
  const figures: Figure[] = [];
  const perSecond = (name: string) => cases[name]?.perSecond.median ?? Number.NaN;
  const addRatio = (name: string, reference: string, referenceName: string, goal: number, target: number) => {
    const value = perSecond(name) / perSecond(reference);
    figures.push({ name: `${name} / ${referenceName}`, value, unit: "", goal, target, better: "higher" });
  };
  const addCost = (name: string, value: number, unit: string, goal: number, target: number) => {
    figures.push({ name, value, unit, goal, target, better: "lower" });
  };

  addRatio("warm by id", "limit: a passport's size", "the limit", 0.75, 0.88);
  addRatio("cold by id", "limit: a passport's size", "the limit", 0.5, 0.7);
  addRatio("cold by wallet", "limit: a passport's size", "the limit", 0.5, 0.7);
  addRatio("cold credentials", "limit: credentials' size", "the limit", 0.5, 0.7);
  addRatio("cold by id", "bare engine by id", "the bare engine", 1.2, 2);
  if (cases["list, last pages"] !== undefined) {
    const p50 = (name: string) => cases[name]?.p50?.median ?? Number.NaN;
    const ratio = p50("list, last pages") / p50("list, first pages");
    addCost("last page / first page, median latency", ratio, "", 1.2, 1.05);
  }
  if (keywords.all !== undefined) addCost("any keyword, p99", keywords.all.p99, "ms", 100, 30);
  if (burst !== undefined)
    addCost("by id, p99 during / without a keyword burst", burst.burstP99 / burst.quietP99, "", 2, 1.3);
  if (epoch !== undefined) addCost("standing refresh, while serving", epoch.seconds / 60, "min", 8, 3);
  if (smallest !== undefined && smallest !== results) {
    const name = `CPU time of a cold look-up / with ${smallest.plan.people} people`;
    addCost(name, coldLookUpCpu(results) / coldLookUpCpu(smallest), "", 1.3, 1.1);
  }
  if (memoryMiB !== undefined) addCost("memory after the load", memoryMiB.at(-1) ?? 0, "MiB", 300, 300);
  return figures;
}

function coldLookUpCpu({ cases }: Results): number {
  const { nodeMicroseconds, databaseMicroseconds } = cases["cold by id"] ?? {};
  return (nodeMicroseconds?.median ?? 0) + (databaseMicroseconds?.median ?? 0);
}

export const reachesGoal = ({ value, goal, better }: Figure): boolean =>
  better === "higher" ? value >= goal : value <= goal;
