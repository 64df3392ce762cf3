import { styleText } from "node:util";
import { EXIT } from "./exit-codes.ts";
import type { OutputStream, Terminal } from "./terminal.ts";
import { escapeUnprintable, printableLines } from "./unprintable.ts";

/** Prints the result of a command on stdout: as JSON with --json, else as text. */
export function printResult(terminal: Terminal, json: boolean | undefined, result: unknown, text: string): void {
  terminal.stdout.write(`${json ? escapeUnprintable(JSON.stringify(result)) : printableLines(text)}\n`);
}

/** Prints a line on stderr. */
export function printMessage(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${printableLines(text)}\n`);
}

/** On Ctrl-C, prints what has been done so far, and exits. */
export function printOnInterrupt(terminal: Terminal, state: string | (() => string)): void {
  terminal.onInterrupt(() => {
    printMessage(terminal, `\nStopped. ${typeof state === "string" ? state : state()}`);
    terminal.exit(EXIT.interrupted);
  });
}

type Style = Parameters<typeof styleText>[0];

/** Colours a text if the stream is a terminal and NO_COLOR is not set. */
export function paint(style: Style, text: string, stream: OutputStream): string {
  return styleText(style, text, { stream, validateStream: true });
}

/** A formatter that is created when this file is loaded would cost every command 30 ms. */
export const formatNumber = (value: number): string => value.toLocaleString("en");
export const formatCount = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
export const formatPeople = (count: number): string => formatCount(count, "person", "people");

/** "passport 7" or "passports 7, 8 and 2 more". */
export function formatPassports(ids: readonly number[], max = Number.POSITIVE_INFINITY): string {
  const more = ids.length > max ? ` and ${ids.length - max} more` : "";
  return `${ids.length === 1 ? "passport" : "passports"} ${ids.slice(0, max).join(", ")}${more}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${formatNumber(Math.round(ms / 86_400_000))} days`;
}

/** How many people the list has, as `import` and `work` report it after a refresh. */
export const formatStanding = ({ total, build_ms }: { total: number; build_ms: number }): string =>
  `The list has ${formatPeople(total)}, built in ${formatDuration(build_ms)}.`;

/** Joins lines. Optional lines are null or false when absent. */
export const formatLines = (...lines: (string | null | false)[]): string =>
  lines.filter((line) => line !== null && line !== false).join("\n");
