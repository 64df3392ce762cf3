import { Command } from "commander";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { formatCount, formatPeople, printOnInterrupt, printResult } from "#cli/terminal/output.ts";
import { withProgress } from "#cli/terminal/progress.ts";
import type { Terminal } from "#cli/terminal/terminal.ts";
import { asLine, exportPeople } from "#operations/export/export-people.ts";
import { requireConfig, withDatabase } from "#process/connect.ts";
import { readKey } from "#snapshot/signing-key.ts";
import { listHiddenByHolder } from "#store/holder-requests/hidden-by-holder.ts";
import { requirePerson } from "./find-holder.ts";

type Options = { sign?: string; person?: string; json?: boolean };

export const exportCommand = (terminal: Terminal): Command =>
  new Command("export")
    .description("write a consistent snapshot of all people into a new folder")
    .argument("[folder]", "a folder that is empty or does not exist")
    .option("--sign <file>", "sign the manifest with this Ed25519 private key (PEM)")
    .option("--person <id or wallet>", "instead, print everything stored about one person on standard output")
    .option("--json", "print the manifest as JSON")
    .addHelpText(
      "after",
      `
Imported into another database with \`credence import\`, it gives the same V1 responses, byte for byte. It contains hidden
people as well. Writes may go on meanwhile. docs/SNAPSHOTS.md describes the folder.

Examples:
  $ credence export ./snapshot
  $ (umask 077 && credence export --person 1 > person.json)`,
    )
    .action((folder: string | undefined, options: Options) => exportAll(terminal, folder, options));

async function exportAll(terminal: Terminal, folder: string | undefined, options: Options): Promise<void> {
  const { publicUrl } = requireConfig(terminal);
  if (options.person !== undefined) {
    if (folder === undefined && options.sign === undefined) return printPerson(terminal, options.person);
    throw new Failure("--person cannot be combined with a folder or --sign.", "Remove one of them.", EXIT.usage);
  }
  if (folder === undefined)
    throw new Failure("The folder is missing.", "Name one: credence export ./snapshot", EXIT.usage);
  const privateKey = options.sign === undefined ? null : await readKey(options.sign, "private");
  printOnInterrupt(terminal, `${folder} is incomplete: remove it.`);
  const manifest = await withDatabase(terminal, "export", (database) =>
    withProgress(terminal, "Exported", (update) => {
      const onProgress = (people: number, total: number) => update(people, people, total);
      return exportPeople(database, folder, { source: publicUrl, privateKey, onProgress });
    }),
  );
  printResult(
    terminal,
    options.json,
    manifest,
    `Wrote ${formatPeople(manifest.people)} with ${formatCount(manifest.credentials, "credential")} and ${formatCount(manifest.opt_out?.opted_out ?? 0, "opt-out")} to ${folder}${privateKey === null ? "" : ", signed"}.`,
  );
}

async function printPerson(terminal: Terminal, reference: string): Promise<void> {
  const line = await withDatabase(terminal, "export", async (database) => {
    const person = await requirePerson(database, reference);
    const hiddenByHolder = await listHiddenByHolder(database, [person.passport.passport_id]);
    return asLine(person, hiddenByHolder.length > 0);
  });
  terminal.stdout.write(`${JSON.stringify(line)}\n`);
}
