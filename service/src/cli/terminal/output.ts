import { styleText } from "node:util";
import { escapeUnprintable } from "#identity/unprintable.ts";
import { EXIT } from "./exit-codes.ts";

/** File descriptors, for logs. */
export const STDOUT = 1;
export const STDERR = 2;

// Results go to stdout, talk to stderr, so that a result can be piped on while a person reads along.

/** Prints a command's result: for programs when --json was given, for people otherwise. */
export function printResult(json: boolean, result: unknown, text: string): void {
  process.stdout.write(`${json ? escapeUnprintable(JSON.stringify(result)) : text}\n`);
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** If somebody presses Ctrl-C, says what that means for what was under way. */
export function sayWhenStopped(meaning: string): void {
  process.once("SIGINT", () => {
    say(`\nStopped. ${meaning}`);
    process.exit(EXIT.interrupted);
  });
}

type Style = Parameters<typeof styleText>[0];

/** Colours a text if the stream is a terminal and NO_COLOR is not set. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stderr): string {
  return styleText(style, text, { stream, validateStream: true });
}

const number = new Intl.NumberFormat("en");
export const printNumber = (value: number): string => number.format(value);
export const printCount = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${number.format(count)} ${count === 1 ? noun : nouns}`;

export function printDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}
