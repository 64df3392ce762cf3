import { styleText } from "node:util";
import type { Outcome } from "./run.ts";

const COLOURS = { pass: "green", open: "yellow", fail: "red", skipped: "yellow" } as const;

const paint = (style: "green" | "red" | "yellow", text: string): string =>
  styleText(style, text, { stream: process.stdout, validateStream: true });

/** One line for a clause. A failure has further lines: the rule, the expectation, the reason. */
export function printOutcome({ clause, level, result, rule, observed, expected, why }: Outcome): string {
  const line = `${paint(COLOURS[result], result.padEnd(8))}  ${level.padEnd(8)}  ${clause.padEnd(21)}  ${observed}`;
  if (result !== "fail") return line;
  const indent = " ".repeat(43);
  return `${line}\n${indent}rule: ${rule}\n${indent}expected: ${expected}\n${indent}why: ${why}`;
}

export function printSummary(outcomes: readonly Outcome[], requests: number): string {
  const count = (result: Outcome["result"]) => outcomes.filter((outcome) => outcome.result === result).length;
  const counts = `${count("pass")} passed, ${count("fail")} failed, ${count("skipped")} skipped`;
  const open = count("open");
  const summary = `${outcomes.length} checks, ${requests} requests: ${counts}`;
  if (count("fail") > 0) return `${summary}. The server ${paint("red", "does not conform")}.`;
  if (open === 0) return `${summary}. The server ${paint("green", "conforms")}.`;
  return `${summary}, ${open} open. The server ${paint("yellow", "accepts unknown keys")}, and conforms otherwise.`;
}

/** Advice for a list that could not be read, which skips all other checks. */
export function adviseOnUnreadableList(outcomes: readonly Outcome[]): string | null {
  const list = outcomes.find(({ clause, result }) => clause === "list-response" && result === "fail");
  if (list === undefined || !outcomes.some(({ observed }) => observed === "the list could not be read")) return null;
  if (list.observed.startsWith("401")) return "The server requires a key: add --key.";
  return "This does not look like a V1 server. Use its base URL without /api/v1.";
}
