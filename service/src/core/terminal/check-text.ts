import type { Check } from "./check.ts";
import { explain } from "./failure.ts";
import { paint } from "./output.ts";
import type { OutputStream } from "./terminal.ts";
import { wrapWords } from "./wrap-prose.ts";

const COLOURS = { ok: "green", warning: "yellow", problem: "red" } as const;

const INDENT = " ".repeat(24);

/** A check of `doctor` and `status`, and below it what to do. A pipe gets one line for each, a terminal wrapped ones. */
export function formatCheck(stdout: OutputStream, { name, state, finding, advice }: Check): string {
  const { columns = Number.POSITIVE_INFINITY } = stdout;
  const lines = [finding, ...(advice === undefined ? [] : [advice])].flatMap((text) =>
    wrapWords(text, columns - INDENT.length),
  );
  return `${paint(COLOURS[state], state.padEnd(7), stdout)}  ${name.padEnd(13)}  ${lines.join(`\n${INDENT}`)}`;
}

/** Explains a check that threw as any other failure. */
export function withAdvice({ cause, ...check }: Check): Check {
  if (cause === undefined) return check;
  const { message, advice } = explain(cause);
  return { ...check, finding: message, advice };
}
