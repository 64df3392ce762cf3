import { styleText } from "node:util";
import type { Difference } from "./compare.ts";
import type { Outcome } from "./run.ts";

const COLOURS = { pass: "green", fail: "red", "not seen": "yellow" } as const;

const paint = (style: "green" | "red" | "yellow" | "bold", text: string): string =>
  styleText(style, text, { stream: process.stdout, validateStream: true });

/** One line for a clause; a failure also tells what was expected and why it matters. */
export function printOutcome({ clause, level, result, says, seen, expected, why }: Outcome): string {
  const line = `${paint(COLOURS[result], result.padEnd(8))}  ${level.padEnd(8)}  ${clause.padEnd(20)}  ${seen}`;
  if (result !== "fail") return line;
  const indent = " ".repeat(42);
  return `${line}\n${indent}says: ${says}\n${indent}expected: ${expected}\n${indent}why: ${why}`;
}

export function printSummary(outcomes: readonly Outcome[], requests: number): string {
  const count = (result: Outcome["result"]) => outcomes.filter((outcome) => outcome.result === result).length;
  const verdict = count("fail") === 0 ? paint("green", "conforms") : paint("red", "does not conform");
  return `${outcomes.length} checks, ${requests} requests: ${count("pass")} passed, ${count("fail")} failed, ${count("not seen")} not seen. The server ${verdict}.`;
}

export function printDifference({ question, where, here, there }: Difference): string {
  return `${question}\n    ${where}: ${paint("red", here)} here, ${paint("green", there)} there`;
}
