import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Figure, figuresOf, reachesGoal } from "./figures.ts";
import { type Curve, plotGrowth, plotRatios, printPeople } from "./plots.ts";
import type { Results } from "./run-bench.ts";

const DOCUMENT = fileURLToPath(new URL("../../docs/PERFORMANCE.md", import.meta.url));
const PLOTS = fileURLToPath(new URL("../../docs/performance", import.meta.url));
const [BEGIN, END] = ["<!-- written by the bench: begin -->", "<!-- written by the bench: end -->"];

/** Writes the plots and the tables of docs/PERFORMANCE.md from all results in a folder. */
export async function writeReport(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => /^\d+\.json$/.test(name));
  const runs = await Promise.all(
    files.map(async (name) => JSON.parse(await readFile(`${folder}/${name}`, "utf8")) as Results),
  );
  runs.sort((a, b) => a.plan.people - b.plan.people);
  const [smallest, largest] = [runs[0], runs.at(-1)];
  if (smallest === undefined || largest === undefined) throw new Error(`There are no results in ${folder}.`);
  await mkdir(PLOTS, { recursive: true });
  await writeFile(`${PLOTS}/ratios.svg`, plotRatios(largest));
  await writeFile(
    `${PLOTS}/look-ups.svg`,
    plotGrowth("CPU time of a cold look-up by id", "microseconds", lookUpCurves(runs)),
  );
  await writeFile(`${PLOTS}/lists.svg`, plotGrowth("Latency of pages and keywords", "milliseconds", listCurves(runs)));
  const document = await readFile(DOCUMENT, "utf8");
  const [before, after] = [document.split(BEGIN)[0], document.split(END)[1]];
  await writeFile(DOCUMENT, `${before}${BEGIN}\n\n${printTables(runs, largest, smallest)}\n${END}${after}`);
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

function printTables(runs: readonly Results[], largest: Results, smallest: Results): string {
  const { postgres, node, at, plan, machine } = largest;
  const sizes = runs.map((run) => printPeople(run.plan.people)).join(" | ");
  const divider = `|${"---|".repeat(runs.length + 1)}`;
  return [
    ...(machine === undefined ? [] : [`${machine}.`]),
    `PostgreSQL ${postgres}, Node ${node}, ${at.slice(0, 10)}; medians of ${plan.rounds} rounds of ${plan.seconds} s.`,
    "",
    `| With ${printPeople(plan.people)} people | Measured | Goal | Target |`,
    "|---|---|---|---|",
    ...figuresOf(largest, smallest).map(printFigure),
    "",
    `Cache hit rate when warm: ${Math.round(largest.cacheHits * 100)} %.`,
    "",
    `| Requests a second | ${sizes} |`,
    divider,
    ...Object.keys(largest.cases).map((name) => `| ${name} | ${runs.map((run) => printCase(run, name)).join(" | ")} |`),
    "",
    "In parentheses: the CPU time of a request in microseconds, of the service and of PostgreSQL.",
    "",
    `| Keyword, p50 / p99 / max in ms | ${sizes} |`,
    divider,
    ...Object.keys(largest.keywords).map(
      (kind) => `| ${kind} | ${runs.map((run) => printKeyword(run, kind)).join(" | ")} |`,
    ),
    "",
  ].join("\n");
}

const printFigure = (figure: Figure): string => {
  const { name, value, unit, goal, target, better } = figure;
  const sign = better === "higher" ? "≥" : "≤";
  const mark = reachesGoal(figure) ? "" : " (missed)";
  return `| ${name} | ${value.toFixed(2)} ${unit}${mark} | ${sign} ${goal} | ${target} |`;
};

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
