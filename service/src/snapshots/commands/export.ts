import { Command } from "commander";
import { readPrivateKey } from "#core/files/signing-key.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatPeople, printOnInterrupt, printResult } from "#core/terminal/output.ts";
import { withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { requirePerson } from "#people/commands/require-person.ts";
import { listHiddenByHolder } from "#people/facts/hidden-by-holder.ts";
import { asLine, exportPeople } from "#snapshots/export/export-people.ts";

type Options = { sign?: string; person?: string; protections?: string; json?: boolean };

/** Writes a file of protections. */
type ExportProtections = (terminal: Terminal, path: string, options: { json?: boolean | undefined }) => Promise<void>;

export const exportCommand = (terminal: Terminal, exportProtections: ExportProtections): Command =>
  new Command("export")
    .description("write a consistent snapshot of all people into a new folder")
    .argument("[folder]", "a folder that is empty or does not exist")
    .option("--sign <file>", "sign the manifest with this Ed25519 private key (PEM)")
    .option("--person <id or wallet>", "instead, print everything stored about one person on standard output")
    .option(
      "--protections <file>",
      "instead, write what a restored backup would undo: opt-outs, hides, erasures, revoked keys",
    )
    .option("--json", "print the manifest as JSON")
    .addHelpText(
      "after",
      `
Imported into an empty database with the same OPT_OUT_KEY, it gives the same V1 responses, byte for
byte. It contains hidden people in full, and opt-outs as ids and keyed hashes. Into a database that has people already,
an unhide does not travel. Writes may go on meanwhile.
docs/SNAPSHOTS.md describes the folder.

Examples:
  $ credence export ./snapshot
  $ (umask 077 && credence export --person 1 > person.json)
  $ credence export --protections protections.ndjson`,
    )
    .action((folder: string | undefined, options: Options) => exportAll(terminal, folder, options, exportProtections));

async function exportAll(
  terminal: Terminal,
  folder: string | undefined,
  options: Options,
  exportProtections: ExportProtections,
): Promise<void> {
  const { publicUrl } = requireConfig(terminal);
  const { person, protections } = options;
  if (person !== undefined || protections !== undefined) {
    if (folder !== undefined || options.sign !== undefined || (person !== undefined && protections !== undefined)) {
      const message = "--person and --protections cannot be combined with a folder, --sign or each other.";
      throw new Failure(message, "Use one of them.", EXIT.usage);
    }
    return person === undefined
      ? exportProtections(terminal, protections as string, options)
      : printPerson(terminal, person);
  }
  if (folder === undefined)
    throw new Failure("The folder is missing.", "Name one: credence export ./snapshot", EXIT.usage);
  const privateKey = options.sign === undefined ? null : await readPrivateKey(options.sign);
  printOnInterrupt(terminal, `"${folder}" is incomplete: remove it.`);
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
    `Wrote ${formatPeople(manifest.people)} with ${formatCount(manifest.credentials, "credential")} and ${formatCount(manifest.opt_out?.opted_out ?? 0, "opt-out")} to "${folder}"${privateKey === null ? "" : ", signed"}.`,
  );
}

async function printPerson(terminal: Terminal, reference: string): Promise<void> {
  const line = await withDatabase(terminal, "export", async (database) => {
    const person = await requirePerson(database, reference);
    const hiddenByHolder = await listHiddenByHolder(database, [person.passport.passport_id]);
    return asLine(person, hiddenByHolder.length > 0);
  });
  printResult(terminal, true, line, "");
}
