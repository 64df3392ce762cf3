import { Command } from "commander";
import { withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { formatPeople, printMessage, printResult } from "#core/terminal/output.ts";
import { withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { rebuildDocuments } from "#people/documents/rebuild-documents.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";

type Options = { json?: boolean };

export const documentsCommand = (terminal: Terminal): Command =>
  new Command("documents")
    .description("the stored answers of V1, generated from the facts about people")
    .addHelpText(
      "after",
      `
Examples:
  $ credence documents verify
  $ credence documents rebuild && credence standing refresh`,
    )
    .addCommand(
      new Command("rebuild")
        .description("regenerate every document; serving continues, and it can be stopped at any time")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence documents rebuild && credence standing refresh")
        .action((options: Options) => rebuild(terminal, options)),
    )
    .addCommand(
      new Command("verify")
        .description("compare every stored document, byte for byte, with a regenerated one; writes nothing")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence documents verify --json")
        .action((options: Options) => verify(terminal, options)),
    );

async function rebuild(terminal: Terminal, options: Options): Promise<void> {
  const rebuilt = await withDatabase(terminal, "documents rebuild", (database) =>
    withProgress(terminal, "Rebuilt", (update) => rebuildDocuments(database, update)),
  );
  printResult(terminal, options.json, { rebuilt }, `Rebuilt the documents of ${formatPeople(rebuilt)}.`);
  printMessage(terminal, "The list shows them after `credence standing refresh`.");
}

async function verify(terminal: Terminal, options: Options): Promise<void> {
  const found = await withDatabase(terminal, "documents verify", (database) =>
    withProgress(terminal, "Verified", (update) => verifyDocuments(database, update)),
  );
  const checked = formatPeople(found.checked);
  printResult(
    terminal,
    options.json,
    found,
    [
      ...found.differences.map(({ passport_id, problem }) => `passport ${passport_id} ${problem}`),
      found.different === 0
        ? `The documents of ${checked} are correct.`
        : `Of ${checked}, ${found.different} have incorrect documents.`,
    ].join("\n"),
  );
  if (found.different === 0) return;
  printMessage(terminal, "Repair them with `credence documents rebuild`.");
  terminal.exitCode = EXIT.attention;
}
