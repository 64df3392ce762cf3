import { Command } from "commander";
import { withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { formatCount, formatLines, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { importKeys } from "#keys/manage/import-keys.ts";
import { listKeysToMove } from "#keys/manage/move-keys.ts";

type Json = { json?: boolean };

export const exportKeysCommand = (terminal: Terminal): Command =>
  new Command("export")
    .description("write all keys as hashes to a file, for another database")
    .argument("<file>", "the file to write; it is replaced")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
With the file alone nobody can send a request: it contains no key. It does contain labels and contacts.

Example:
  $ credence keys export keys.json`,
    )
    .action(async (path: string, { json }: Json) => {
      const keys = await withDatabase(terminal, "keys", listKeysToMove);
      const { writeKeysFile } = await import("#keys/manage/keys-file.ts");
      await writeKeysFile(path, keys);
      printResult(terminal, json, { keys: keys.length }, `Wrote ${formatCount(keys.length, "key")} to "${path}".`);
    });

export const importKeysCommand = (terminal: Terminal): Command =>
  new Command("import")
    .description("add keys from a file of `credence keys export`")
    .argument("<file>", "the file to read")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Clients go on with the keys they have. A key that is stored already is only restricted: it is revoked if the file says
so, and of two expiry dates the earlier counts. Nothing is un-revoked or prolonged.

Example:
  $ credence keys import keys.json`,
    )
    .action(async (path: string, { json }: Json) => {
      const { readKeysFile } = await import("#keys/manage/keys-file.ts");
      const keys = await readKeysFile(path);
      const moved = await withDatabase(terminal, "keys", (database) => importKeys(database, keys));
      const { added, restricted, conflicts } = moved;
      const stored = keys.length - added.length - conflicts.length;
      printResult(
        terminal,
        json,
        moved,
        formatLines(
          `Added ${formatCount(added.length, "key")}; ${stored} stored already, ${restricted.length} of them now revoked or expiring earlier.`,
          conflicts.length > 0 &&
            `Not changed, because another key has the same id or hash here: ${conflicts.join(", ")}.`,
        ),
      );
      if (conflicts.length > 0) terminal.exitCode = EXIT.attention;
    });
