import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { figuresOf } from "./figures.ts";
import { type Curve, plotGrowth, printPeople } from "./plots.ts";
import type { Results } from "./run-bench.ts";

const PLOTS = fileURLToPath(new URL("../../docs/performance", import.meta.url));

/** The results of each number of people in a folder, the fewest people first. */
export async function readResults(folder: string): Promise<Results[]> {
  const files = (await readdir(folder)).filter((name) => /^\d+\.json$/.test(name));
  const runs = await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(`${folder}/${name}`, "utf8")) as Results),
  );
  return runs.sort((a, b) => a.plan.people - b.plan.people);
}

/** Draws the plots of docs/PERFORMANCE.md from all results in a folder. */
export async function plotResults(folder: string): Promise<void> {
  const runs = await readResults(folder);
  await mkdir(PLOTS, { recursive: true });
  await writeFile(
    `${PLOTS}/look-ups.svg`,
    plotGrowth("CPU time of a cold look-up by id", "microseconds", lookUpCurves(runs)),
  );
  await writeFile(`${PLOTS}/lists.svg`, plotGrowth("Latency of pages and keywords", "milliseconds", listCurves(runs)));
}

const curve = (name: string, runs: readonly Results[], pick: (run: Results) => number | undefined): Curve => ({
  name,
  points: runs.flatMap((run) => {
    const value = pick(run);
    return value === undefined || value <= 0 ? [] : [{ people: run.plan.people, value }];
  }),
});

const lookUpCurves = (runs: readonly Results[]): Curve[] => [
  curve("the service", runs, (run) => run.cases["cold by id"]?.nodeMicroseconds?.median),
  curve("PostgreSQL", runs, (run) => run.cases["cold by id"]?.databaseMicroseconds?.median),
];

const listCurves = (runs: readonly Results[]): Curve[] => [
  curve("first pages, 64 connections", runs, (run) => run.cases["list, first pages"]?.p50?.median),
  curve("last pages, 64 connections", runs, (run) => run.cases["list, last pages"]?.p50?.median),
  curve("any keyword, p99", runs, (run) => run.keywords.all?.p99),
];

/** A table of a document, with a text before it. */
export type Printed = { text?: string; head: string[]; rows: string[][] };

/** The origin of the results, and the figures of the run with the most people. */
export function printFigures(runs: readonly Results[]): Printed {
  const [smallest, largest] = [runs[0], runs.at(-1)];
  if (smallest === undefined || largest === undefined) throw new Error("There are no results.");
  return {
    text: runs.map(printOrigin).join("\n"),
    head: [`With ${printPeople(largest.plan.people)} people`, "Measured"],
    rows: figuresOf(largest, smallest).map(({ name, value, unit }) => [name, `${value.toFixed(2)} ${unit}`.trim()]),
  };
}

export const printRequests = (runs: readonly Results[]): Printed =>
  printBySize("Requests a second", runs, ({ cases }) => cases, printCase);

export const printKeywords = (runs: readonly Results[]): Printed =>
  printBySize("Keyword, p50 / p99 / max in ms", runs, ({ keywords }) => keywords, printKeyword);

/** A column for each number of people, and the rows of the run with the most. */
function printBySize(
  title: string,
  runs: readonly Results[],
  pick: (run: Results) => object,
  print: (run: Results, name: string) => string,
): Printed {
  const largest = runs.at(-1);
  return {
    head: [title, ...runs.map(({ plan }) => printPeople(plan.people))],
    rows: Object.keys(largest === undefined ? {} : pick(largest)).map((name) => [
      name,
      ...runs.map((run) => print(run, name)),
    ]),
  };
}

function printOrigin({ at, cacheHits, cases, machine, node, plan, postgres }: Results): string {
  const { min = 0, max = 0 } = cases["limit: a passport's size"]?.perSecond ?? {};
  const number = (value: number) => Math.round(value).toLocaleString("en");
  return [
    `- ${printPeople(plan.people)} people: ${at.slice(0, 10)}, ${plan.rounds} rounds of ${plan.seconds} s,`,
    `  Node ${node}, PostgreSQL ${postgres}${machine === undefined ? "" : `, ${machine}`}.`,
    `  The limit varied from ${number(min)} to ${number(max)} requests a second;`,
    `  ${Math.round(cacheHits * 100)} % of warm look-ups were cached.`,
  ].join("\n");
}

function printCase(run: Results, name: string): string {
  const measured = run.cases[name];
  if (measured === undefined) return "";
  const { perSecond, nodeMicroseconds, databaseMicroseconds } = measured;
  const cpu =
    nodeMicroseconds && ` (${nodeMicroseconds.median.toFixed(0)} + ${databaseMicroseconds?.median.toFixed(0)})`;
  return `${Math.round(perSecond.median).toLocaleString("en")}${cpu ?? ""}`;
}

function printKeyword(run: Results, kind: string): string {
  const times = run.keywords[kind];
  return times === undefined ? "" : `${times.p50.toFixed(1)} / ${times.p99.toFixed(1)} / ${times.max.toFixed(1)}`;
}

/** Returns a line for each case with broken connections or without any response. */
export function listUnanswered({ cases }: Results): string[] {
  return Object.entries(cases).flatMap(([name, { perSecond, broken = 0 }]) => {
    if (!(perSecond.median > 0)) return [`${name}: no responses`];
    return broken > 0 ? [`${name}: ${broken} broken connections`] : [];
  });
}
