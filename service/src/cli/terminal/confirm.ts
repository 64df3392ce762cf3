import { createInterface } from "node:readline/promises";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { printMessage } from "./output.ts";

/** Asks before a change that is hard to undo. Without a terminal, `--yes` is required. */
export async function confirm(
  question: string,
  yes: boolean,
  advice = "Add --yes to confirm, or --dry-run to see what would happen.",
): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) {
    throw new Failure("Standard input is not a terminal: cannot ask for confirmation.", advice, EXIT.usage);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return true;
    printMessage("Nothing was changed.");
    process.exitCode = EXIT.failed;
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    printMessage("\nNothing was changed.");
    process.exitCode = (error as Error).message.includes("Ctrl+C") ? EXIT.interrupted : EXIT.failed;
  } finally {
    terminal.close();
  }
  return false;
}
