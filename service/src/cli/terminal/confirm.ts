import { createInterface } from "node:readline/promises";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { say } from "./output.ts";

/** Asks before something is done that somebody might regret. `--yes` answers for them; without a terminal, nothing else can. */
export async function confirm(question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) {
    throw new Failure(
      "There is no terminal to ask on.",
      "Add --yes if you are sure, or --dry-run to see what would happen.",
      EXIT.usage,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return true;
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    say("\nNothing was done.");
    process.exitCode = (error as Error).message.includes("Ctrl+C") ? EXIT.interrupted : EXIT.failed;
    return false;
  } finally {
    terminal.close();
  }
  say("Nothing was done.");
  process.exitCode = EXIT.failed;
  return false;
}
