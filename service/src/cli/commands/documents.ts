import { Command } from "commander";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { printCount, printResult, say } from "#cli/terminal/output.ts";
import { showProgress } from "#cli/terminal/progress.ts";
import { rebuildDocuments } from "#operations/documents/rebuild-documents.ts";
import { verifyDocuments } from "#operations/documents/verify-documents.ts";
import { configured, withDatabase } from "#process/connect.ts";

type Options = { json?: boolean };

export const documentsCommand = (): Command =>
  new Command("documents")
    .description("the stored answers of V1, made from what is known of people")
    .addHelpText(
      "after",
      `
Examples:
  $ credence documents verify
  $ credence documents rebuild && credence standing refresh`,
    )
    .addCommand(
      new Command("rebuild")
        .description("make every document anew; reads go on, and stopping half-way does no harm")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence documents rebuild && credence standing refresh")
        .action(rebuild),
    )
    .addCommand(
      new Command("verify")
        .description("compare every document, byte for byte, with what the facts give; writes nothing")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence documents verify --json")
        .action(verify),
    );

async function rebuild(options: Options): Promise<void> {
  const { databaseUrl } = configured();
  const progress = showProgress("Rebuilt");
  const rebuilt = await withDatabase(databaseUrl, "documents rebuild", (database) =>
    rebuildDocuments(database, (people) => progress.update({ people, fraction: null })),
  ).finally(progress.end);
  printResult(
    options.json ?? false,
    { rebuilt },
    `Rebuilt the documents of ${printCount(rebuilt, "person", "people")}.`,
  );
  say("The list shows them after `credence standing refresh`.");
}

async function verify(options: Options): Promise<void> {
  const { databaseUrl } = configured();
  const progress = showProgress("Verified");
  const found = await withDatabase(databaseUrl, "documents verify", (database) =>
    verifyDocuments(database, (people) => progress.update({ people, fraction: null })),
  ).finally(progress.end);
  const checked = printCount(found.checked, "person", "people");
  printResult(
    options.json ?? false,
    found,
    [
      ...found.differences.map(({ passport_id, problem }) => `passport ${passport_id} ${problem}`),
      found.different === 0
        ? `The documents of ${checked} are right.`
        : `Of ${checked}, ${found.different} have wrong documents.`,
    ].join("\n"),
  );
  if (found.different === 0) return;
  say("`credence documents rebuild` makes them right.");
  process.exitCode = EXIT.attention;
}
