import { Command } from "commander";
import { readPrivateKey } from "#core/files/signing-key.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatPeople, printMessage, printOnInterrupt, printResult } from "#core/terminal/output.ts";
import { withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { listDecisions } from "#decisions/ledger.ts";
import { requirePerson } from "#people/commands/require-person.ts";
import { exportPeople } from "#snapshots/export/export-people.ts";

type Options = { sign?: string; person?: string; json?: boolean };

export const exportCommand = (terminal: Terminal): Command =>
  new Command("export")
    .description("write a consistent snapshot of all people, and of the decisions about them, into a new folder")
    .argument("[folder]", "a folder that is empty or does not exist")
    .option("--sign <file>", "sign the manifest with this Ed25519 private key (PEM)")
    .option("--person <id or wallet>", "instead, print everything stored about one person on standard output")
    .option("--json", "print the manifest as JSON")
    .addHelpText(
      "after",
      `
Imported into an empty database with the same OPT_OUT_KEY, it gives the same V1 responses, byte for
byte: hidden and erased people stay so. With another key the decisions can only hide people and keep them out.
It contains hidden people in full. Writes may go on meanwhile. docs/SNAPSHOTS.md describes the folder.

Examples:
  $ credence export ./snapshot
  $ (umask 077 && credence export --person 1 > person.json)`,
    )
    .action((folder: string | undefined, options: Options) => exportAll(terminal, folder, options));

async function exportAll(terminal: Terminal, folder: string | undefined, options: Options): Promise<void> {
  const { publicUrl, optOutKeys } = requireConfig(terminal);
  const { person } = options;
  if (person !== undefined) {
    if (folder !== undefined || options.sign !== undefined) {
      throw new Failure("--person cannot be combined with a folder or --sign.", "Use one of them.", EXIT.usage);
    }
    return printPerson(terminal, person);
  }
  if (folder === undefined)
    throw new Failure("The folder is missing.", "Name one: credence export ./snapshot", EXIT.usage);
  const privateKey = options.sign === undefined ? null : await readPrivateKey(options.sign);
  printOnInterrupt(terminal, `"${folder}" is incomplete: remove it.`);
  const manifest = await withDatabase(terminal, "export", (database) =>
    withProgress(terminal, "Exported", (update) => {
      const onProgress = (people: number, total: number) => update(people, people, total);
      return exportPeople(database, folder, { source: publicUrl, privateKey, optOutKeys, onProgress });
    }),
  );
  const decisions = manifest.decisions?.decisions ?? 0;
  printResult(
    terminal,
    options.json,
    manifest,
    `Wrote ${formatPeople(manifest.people)} with ${formatCount(manifest.credentials, "credential")} and ${formatCount(decisions, "decision")} to "${folder}"${privateKey === null ? "" : ", signed"}.`,
  );
  if (decisions > 0 && optOutKeys.length === 0)
    printMessage(
      terminal,
      "OPT_OUT_KEY is not set: the decisions of this snapshot can only hide people and keep them out.",
    );
}

/** All decisions of one person: nobody has more than a few. */
const MAX_DECISIONS = 10_000;

async function printPerson(terminal: Terminal, reference: string): Promise<void> {
  const stored = await withDatabase(terminal, "export", async (database) => {
    const person = await requirePerson(database, reference);
    const about = { since: null, passportId: person.passport.passport_id, limit: MAX_DECISIONS };
    return { ...person, decisions: await listDecisions(database, about) };
  });
  printResult(terminal, true, stored, "");
}
