import { globSync, readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { buildProgram } from "../service/src/cli.ts";
import { VARIABLES } from "../service/src/core/config/variables.ts";
import { processTerminal } from "../service/src/core/terminal/terminal.ts";
import { CORE, FEATURES, words } from "./features.ts";
import { readSources } from "./imports.ts";

// The weight of the product: fails when a figure is above budget.json. `--write` lowers the file to the figures.

const root = new URL("../", import.meta.url);
const file = new URL("budget.json", import.meta.url);

const linesOf = (isCounted: (path: string) => boolean): number =>
  readSources().reduce((sum, { path, lines }) => sum + (isCounted(path) ? lines : 0), 0);

/** Also of documents that are not committed yet. */
const documents = globSync(["**/*.md", ".github/**/*.md"], {
  cwd: root.pathname,
  exclude: ["**/node_modules/**", "build/**"],
});

/** Commands that have no subcommands. */
const countCommands = ({ commands }: Command): number =>
  commands.reduce((sum, child) => sum + countCommands(child), commands.length === 0 ? 1 : 0);

const figures: Readonly<Record<string, number>> = {
  "lines of service/src": linesOf((path) => path.startsWith("service/src/")),
  "lines of all packages but the bench": linesOf((path) => !path.startsWith("bench/")),
  "words of Markdown": documents
    .map((path) => readFileSync(new URL(path, root), "utf8").match(/\S+/g)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0),
  settings: Object.keys(VARIABLES).length,
  commands: countCommands(await buildProgram(processTerminal())),
  // A test compares these with the schema. `lock_…` are names of locks.
  tables: [...CORE, ...FEATURES].flatMap(({ tables }) => words(tables)).filter((name) => !name.startsWith("lock_"))
    .length,
};

/** Lines and words in hundreds, so that a correction does not need a decision. */
const limitFor = (name: string): number =>
  /^(lines|words) /.test(name) ? Math.ceil((figures[name] ?? 0) / 100) * 100 : (figures[name] ?? 0);

const budget = JSON.parse(readFileSync(file, "utf8")) as Record<string, number>;
const above = Object.entries(figures).filter(([name, figure]) => !(figure <= (budget[name] ?? -1)));
const print = (value: number | undefined): string => value?.toLocaleString("en") ?? "no limit";

process.stdout.write("budget:\n");
for (const [name, figure] of Object.entries(figures)) {
  process.stdout.write(`  ${name.padEnd(36)}${print(figure).padStart(7)} of ${print(budget[name])}\n`);
}
for (const [name, figure] of above) {
  process.stderr.write(
    `${name}: ${print(figure)} is above the limit of structure/budget.json, ${print(budget[name])}. Remove what is not \
needed, or raise the limit by hand, with a row in docs/DECISIONS.md that says who would miss it otherwise.\n`,
  );
}
if (above.length > 0) process.exitCode = 1;
else if (process.argv.includes("--write")) {
  const lowered = Object.keys(figures).map((name) => [name, Math.min(limitFor(name), budget[name] ?? 0)]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
}
