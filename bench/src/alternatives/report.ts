import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Bars, plotBars, printPeople } from "../plots.ts";
import type { Printed } from "../report.ts";
import { COMPARED, type Comparison, CREDENCE_ONLY } from "./compare.ts";

const PLOT = fileURLToPath(new URL("../../../docs/performance/comparison.svg", import.meta.url));

/** Draws the plot of the comparison for docs/PERFORMANCE.md. */
export const plotComparison = (comparison: Comparison): Promise<void> =>
  writeFile(PLOT, plotBars("Processor time of a request, in microseconds", barsOf(comparison)));

/** Of the server and of PostgreSQL. */
function microsecondsOf({ cases }: Pick<Comparison, "cases">, name: string): number {
  const { nodeMicroseconds, databaseMicroseconds } = cases[name] ?? {};
  return (nodeMicroseconds?.median ?? Number.NaN) + (databaseMicroseconds?.median ?? Number.NaN);
}

const NAMES = { cold: "Credence", plain: "plain server", sql: "JSON made in SQL" };

const barsOf = (comparison: Comparison): Bars[] =>
  COMPARED.map((row) => ({
    name: row,
    bars: Object.entries(NAMES).map(([column, name]) => ({
      name,
      value: microsecondsOf(comparison, `${row}, ${column}`),
    })),
  }));

const HEAD = "Microseconds (server + PostgreSQL)";

function printCase(comparison: Comparison, name: string): string {
  const { nodeMicroseconds, databaseMicroseconds } = comparison.cases[name] ?? {};
  const parts = [nodeMicroseconds, databaseMicroseconds].map((spread) => Math.round(spread?.median ?? 0));
  return `${Math.round(microsecondsOf(comparison, name)).toLocaleString("en")} (${parts.join(" + ")})`;
}

/** The three servers, with the origin of the figures. */
export function printComparison(comparison: Comparison): Printed {
  const { people, at, node, postgres, machine, rounds, seconds, stolen } = comparison;
  const times = (row: string, column: string) =>
    `${(microsecondsOf(comparison, `${row}, ${column}`) / microsecondsOf(comparison, `${row}, cold`)).toFixed(1)} ×`;
  const { min = 0, max = 0 } = comparison.cases.limit?.nodeMicroseconds ?? {};
  return {
    text: [
      ...(machine === undefined ? [] : [`${machine}.`]),
      `${at.slice(0, 10)}, ${printPeople(people)} people, PostgreSQL ${postgres}, Node ${node}.`,
      `Medians of ${rounds} rounds of ${seconds} s. Other virtual machines took ${(100 * stolen).toFixed(1)} % of the time;`,
      `the limit varied from ${min.toFixed(0)} to ${max.toFixed(0)} µs.`,
    ].join("\n"),
    head: [HEAD, ...Object.values(NAMES), "Credence needs less by"],
    rows: COMPARED.map((row) => [
      row,
      ...Object.keys(NAMES).map((column) => printCase(comparison, `${row}, ${column}`)),
      `${times(row, "plain")}, ${times(row, "sql")}`,
    ]),
  };
}

/** What only Credence answers, beside the limit. */
export function printBesideLimit(comparison: Comparison): Printed {
  const ofLimit = (row: string) =>
    `${(microsecondsOf(comparison, row) / microsecondsOf(comparison, "limit")).toFixed(1)} ×`;
  return {
    head: [HEAD, "Credence", "of the limit"],
    rows: [
      ...CREDENCE_ONLY.map((row) => [row, printCase(comparison, row), ofLimit(row)]),
      ["the limit: a constant response with the same headers", printCase(comparison, "limit"), ""],
    ],
  };
}
