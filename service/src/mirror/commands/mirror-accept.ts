import { Command } from "commander";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { formatPeople, printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { deleteDue } from "#mirror/manage/delete-due.ts";
import { countAbsent } from "#people/facts/mirror-absent.ts";

type Options = { yes?: boolean; json?: boolean };

/** The decision on more missing people than are deleted at once. */
export const acceptCommand = (terminal: Terminal): Command =>
  new Command("accept")
    .description("delete the people who were missing in a snapshot, and were too many to delete at once")
    .option("--yes", "do not ask")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
They are shown to nobody since that snapshot. If the publisher has made a mistake, wait for its next snapshot:
whom it shows again is shown here again. Without a decision, they are deleted 30 days after the snapshot. After a
take-over, \`credence passport unhide\` shows one of them again.

Example:
  $ credence mirror accept`,
    )
    .action(({ yes = false, json }: Options) => {
      const { optOutKeys } = requireConfig(terminal);
      return withDatabase(
        terminal,
        "mirror",
        async (database) => {
          const waiting = await countAbsent(database);
          if (waiting > 0 && !(await confirm(terminal, `Delete ${formatPeople(waiting)} permanently?`, yes))) return;
          const deleted = await deleteDue(database, "accepted", optOutKeys);
          if (deleted === null) return printMessage(terminal, "Another process works on this mirror. Try again.");
          printResult(terminal, json, { deleted }, `Deleted ${formatPeople(deleted)}.`);
        },
        { writesAs: "import" },
      );
    });
