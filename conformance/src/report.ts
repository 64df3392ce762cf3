import { styleText } from "node:util";
import type { Difference } from "./compare.ts";
import type { Outcome } from "./run.ts";

const COLOURS = { pass: "green", fail: "red", "not seen": "yellow" } as const;

const paint = (style: "green" | "red" | "yellow" | "bold", text: string): string =>
  styleText(style, text, { stream: process.stdout, validateStream: true });

/** One line for a clause; a failure also tells what was expected and why it matters. */
export function printOutcome({ clause, level, result, says, seen, expected, why }: Outcome): string {
  const line = `${paint(COLOURS[result], result.padEnd(8))}  ${level.padEnd(8)}  ${clause.padEnd(21)}  ${seen}`;
  if (result !== "fail") return line;
  const indent = " ".repeat(43);
  return `${line}\n${indent}says: ${says}\n${indent}expected: ${expected}\n${indent}why: ${why}`;
}

export function printSummary(outcomes: readonly Outcome[], requests: number): string {
  const count = (result: Outcome["result"]) => outcomes.filter((outcome) => outcome.result === result).length;
  const verdict = count("fail") === 0 ? paint("green", "conforms") : paint("red", "does not conform");
  return `${outcomes.length} checks, ${requests} requests: ${count("pass")} passed, ${count("fail")} failed, ${count("not seen")} not seen. The server ${verdict}.`;
}

/** What to do when the list, and so everything, could not be read. */
export function adviseOnUnread(outcomes: readonly Outcome[]): string | null {
  const list = outcomes.find(({ clause, result }) => clause === "list-answers" && result === "fail");
  if (list === undefined || !outcomes.some(({ seen }) => seen === "the list could not be read")) return null;
  if (list.seen.startsWith("401")) return "The server wants a key: give --key.";
  return "This does not look like a V1 server. Give its address without /api/v1.";
}

/** The differences, under a heading for each question. */
export function printDifferences(differences: readonly Difference[]): string[] {
  return [...Map.groupBy(differences, ({ question }) => question)].flatMap(([question, those]) => [
    paint("bold", question),
    ...those.map(({ where, here, there }) => `    ${where}: ${show(here)} here, ${show(there)} there`),
  ]);
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value));
  return text.length > 100 ? `${text.slice(0, 97)}…` : text;
}
