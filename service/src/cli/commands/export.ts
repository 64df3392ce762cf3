import { Command } from "commander";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printCount, printResult, sayWhenStopped } from "#cli/terminal/output.ts";
import { showProgress } from "#cli/terminal/progress.ts";
import { asLine, exportPeople } from "#operations/export/export-people.ts";
import { configured, withDatabase } from "#process/connect.ts";
import { readKey } from "#snapshot/manifest.ts";
import { requirePerson } from "./find-holder.ts";

type Options = { sign?: string; person?: string; json?: boolean };

export const exportCommand = (): Command =>
  new Command("export")
    .description("write everyone held into a new folder, as of one moment, while writes go on")
    .argument("[folder]", "a folder that is empty or not there yet")
    .option("--sign <file>", "sign the manifest with this private Ed25519 key (PEM)")
    .option("--person <id or wallet>", "print all that is held of one person instead, on standard output")
    .option("--json", "print the manifest as the result")
    .addHelpText(
      "after",
      `
What it writes, \`credence import\` takes in again, here or elsewhere: every answer of V1 is then the same, byte for byte.
Hidden people are in it. docs/SNAPSHOTS.md describes the folder.

Examples:
  $ credence export ./snapshot
  $ (umask 077 && credence export --person 1 > person.json)`,
    )
    .action(exportAll);

async function exportAll(folder: string | undefined, options: Options): Promise<void> {
  const { databaseUrl, publicUrl } = configured();
  if (options.person !== undefined) {
    if (folder === undefined && options.sign === undefined) return printPerson(databaseUrl, options.person);
    throw new Failure("One person is printed, not written to a folder or signed.", "Give --person alone.", EXIT.usage);
  }
  if (folder === undefined)
    throw new Failure("There is no folder to write to.", "Name one: credence export ./snapshot", EXIT.usage);
  const privateKey = options.sign === undefined ? null : await readKey(options.sign, "private");
  sayWhenStopped(`${folder} is not whole: remove it.`);
  const progress = showProgress("Exported");
  const manifest = await withDatabase(databaseUrl, "export", (database) =>
    exportPeople(database, folder, {
      source: publicUrl,
      privateKey,
      onProgress: (people, total) => progress.update({ people, fraction: people / total }),
    }),
  ).finally(progress.end);
  printResult(
    options.json ?? false,
    manifest,
    `Wrote ${printCount(manifest.people, "person", "people")} with ${printCount(manifest.credentials, "credential")} and ${printCount(manifest.opt_out?.opted_out ?? 0, "opt-out")} to ${folder}${privateKey === null ? "" : ", signed"}.`,
  );
}

async function printPerson(databaseUrl: string, reference: string): Promise<void> {
  const person = await withDatabase(databaseUrl, "export", (database) => requirePerson(database, reference));
  process.stdout.write(`${JSON.stringify(asLine(person))}\n`);
}
