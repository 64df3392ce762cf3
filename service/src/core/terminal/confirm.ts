import { createInterface } from "node:readline/promises";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { printMessage } from "./output.ts";
import type { Terminal } from "./terminal.ts";

/** Asks before a change that is hard to undo. Without a terminal, `--yes` is required. */
export async function confirm(
  terminal: Terminal,
  question: string,
  yes: boolean,
  advice = "Add --yes to confirm, or --dry-run to see what would happen.",
): Promise<boolean> {
  if (yes) return true;
  if (!terminal.stdin.isTTY) {
    throw new Failure("Standard input is not a terminal: cannot ask for confirmation.", advice, EXIT.usage);
  }
  const prompt = createInterface({ input: terminal.stdin, output: terminal.stderr });
  try {
    const answer = await prompt.question(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return true;
    printMessage(terminal, "Nothing was changed.");
    terminal.exitCode = EXIT.failed;
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    printMessage(terminal, "\nNothing was changed.");
    terminal.exitCode = (error as Error).message.includes("Ctrl+C") ? EXIT.interrupted : EXIT.failed;
  } finally {
    prompt.close();
  }
  return false;
}
