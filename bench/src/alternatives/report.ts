import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Bars, plotBars, printPeople } from "../plots.ts";
import { COMPARED, type Comparison, CREDENCE_ONLY } from "./compare.ts";

const DOCUMENT = fileURLToPath(new URL("../../../docs/PERFORMANCE.md", import.meta.url));
const PLOT = fileURLToPath(new URL("../../../docs/performance/comparison.svg", import.meta.url));
const [BEGIN, END] = ["<!-- written by the comparison: begin -->", "<!-- written by the comparison: end -->"];

/** Writes the table and the plot of the comparison into docs/PERFORMANCE.md. */
export async function writeComparison(comparison: Comparison): Promise<void> {
  await writeFile(PLOT, plotBars("Processor time of a request, in microseconds", barsOf(comparison)));
  const document = await readFile(DOCUMENT, "utf8");
  const [before, after] = [document.split(BEGIN)[0], document.split(END)[1]];
  await writeFile(DOCUMENT, `${before}${BEGIN}\n\n${printTables(comparison)}\n${END}${after}`);
}

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

function printTables(comparison: Comparison): string {
  const { people, at, node, postgres, machine, rounds, seconds, stolen } = comparison;
  const print = (name: string) => {
    const { nodeMicroseconds, databaseMicroseconds } = comparison.cases[name] ?? {};
    const parts = [nodeMicroseconds, databaseMicroseconds].map((spread) => Math.round(spread?.median ?? 0));
    return `${Math.round(microsecondsOf(comparison, name)).toLocaleString("en")} (${parts.join(" + ")})`;
  };
  const times = (row: string, column: string) =>
    `${(microsecondsOf(comparison, `${row}, ${column}`) / microsecondsOf(comparison, `${row}, cold`)).toFixed(1)} ×`;
  const limit = microsecondsOf(comparison, "limit");
  const { min = 0, max = 0 } = comparison.cases.limit?.nodeMicroseconds ?? {};
  return [
    ...(machine === undefined ? [] : [`${machine}.`]),
    `${at.slice(0, 10)}, ${printPeople(people)} people, PostgreSQL ${postgres}, Node ${node}.`,
    `Medians of ${rounds} rounds of ${seconds} s. Other virtual machines took ${(100 * stolen).toFixed(1)} % of the time;`,
    `the limit varied from ${min.toFixed(0)} to ${max.toFixed(0)} µs.`,
    "",
    "| Microseconds (server + PostgreSQL) | Credence | plain server | JSON made in SQL | Credence needs less by |",
    "|---|---|---|---|---|",
    ...COMPARED.map((row) => {
      const cells = ["cold", "plain", "sql"].map((column) => print(`${row}, ${column}`));
      return `| ${row} | ${cells.join(" | ")} | ${times(row, "plain")}, ${times(row, "sql")} |`;
    }),
    "",
    "| Microseconds (server + PostgreSQL) | Credence | of the limit |",
    "|---|---|---|",
    ...CREDENCE_ONLY.map(
      (row) => `| ${row} | ${print(row)} | ${(microsecondsOf(comparison, row) / limit).toFixed(1)} × |`,
    ),
    `| the limit: a constant response with the same headers | ${print("limit")} | |`,
    "",
  ].join("\n");
}
