import { paint } from "#cli/terminal/output.ts";
import type { OutputStream } from "#cli/terminal/terminal.ts";
import type { Check } from "#operations/diagnosis/check.ts";

const COLOURS = { ok: "green", warning: "yellow", problem: "red" } as const;

/** A line of `doctor` and `status`, and below it what to do. */
export function formatCheck(stdout: OutputStream, { name, state, finding, advice }: Check): string {
  const label = paint(COLOURS[state], state.padEnd(7), stdout);
  return `${label}  ${name.padEnd(13)}  ${finding}${advice === undefined ? "" : `\n${" ".repeat(24)}${advice}`}`;
}
