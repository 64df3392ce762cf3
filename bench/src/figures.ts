import type { Results } from "./run-bench.ts";

/** A figure that was promised, with what it should come to. `most` figures are better when lower. */
export type Figure = {
  name: string;
  value: number;
  unit: string;
  goal: number;
  aim: number;
  better: "higher" | "lower";
};

/** What a run comes to: the ratios and bounds this project holds itself to. */
export function figuresOf(results: Results, smallest?: Results): Figure[] {
  const { cases, keywords, burst, epoch, memoryMiB } = results;
  const ratio = (one: string, other: string) => perSecond(results, one) / perSecond(results, other);
  const higher = (name: string, value: number, goal: number, aim: number): Figure => ({
    ...{ name, value, unit: "", goal, aim, better: "higher" },
  });
  const lower = (name: string, value: number, unit: string, goal: number, aim: number): Figure => ({
    ...{ name, value, unit, goal, aim, better: "lower" },
  });
  const cpu = (of: Results) =>
    (of.cases["cold by id"]?.nodeMicroseconds?.median ?? 0) +
    (of.cases["cold by id"]?.databaseMicroseconds?.median ?? 0);
  return [
    higher("warm by id / the limit", ratio("warm by id", "limit: a passport's size"), 0.75, 0.88),
    higher("cold by id / the limit", ratio("cold by id", "limit: a passport's size"), 0.5, 0.7),
    higher("cold by wallet / the limit", ratio("cold by wallet", "limit: a passport's size"), 0.5, 0.7),
    higher("cold credentials / the limit", ratio("cold credentials", "limit: credentials' size"), 0.5, 0.7),
    higher("cold by id / the bare engine", ratio("cold by id", "bare engine by id"), 1.2, 2),
    ...(cases["list, last pages"] === undefined
      ? []
      : [
          lower(
            "last page / first page, median latency",
            latency(results, "list, last pages") / latency(results, "list, first pages"),
            "",
            1.2,
            1.05,
          ),
        ]),
    ...(keywords.all === undefined ? [] : [lower("any keyword, p99", keywords.all.p99, "ms", 100, 30)]),
    ...(burst === undefined
      ? []
      : [lower("by id p99 in a burst of keywords / in peace", burst.burstP99 / burst.quietP99, "", 2, 1.3)]),
    ...(epoch === undefined ? [] : [lower("a whole list, while serving", epoch.seconds / 60, "min", 8, 3)]),
    ...(smallest === undefined || smallest === results
      ? []
      : [
          lower(
            `processor time of a cold look-up / with ${smallest.plan.people} people`,
            cpu(results) / cpu(smallest),
            "",
            1.3,
            1.1,
          ),
        ]),
    ...(memoryMiB === undefined ? [] : [lower("memory after the load", memoryMiB.at(-1) ?? 0, "MiB", 300, 300)]),
  ];
}

const perSecond = ({ cases }: Results, name: string): number => cases[name]?.perSecond.median ?? Number.NaN;
const latency = ({ cases }: Results, name: string): number => cases[name]?.p50?.median ?? Number.NaN;

export const reaches = ({ value, better }: Figure, bound: number): boolean =>
  better === "higher" ? value >= bound : value <= bound;
