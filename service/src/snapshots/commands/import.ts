import { Command } from "commander";
import type { Database } from "#core/database/database.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { readPublicKeys } from "#core/files/signing-key.ts";
import { openSource } from "#core/files/source.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { formatCount, formatPeople, printMessage, printOnInterrupt, printResult } from "#core/terminal/output.ts";
import { withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { addDecisions } from "#decisions/commands/decisions.ts";
import { requireKeys } from "#decisions/erased-wallets.ts";
import type { United } from "#decisions/unite.ts";
import { refreshIfBehind } from "#list/commands/refresh-if-behind.ts";
import { isStandingBehind } from "#list/epochs.ts";
import { createFieldCounts, type FieldCounts } from "#snapshots/format/field-counts.ts";
import type { UnknownFields } from "#snapshots/format/validate-line.ts";
import type { Imported } from "#snapshots/import/import-run.ts";
import { type ImportStep, importSource } from "#snapshots/import/import-source.ts";
import { describeUnknown, describeWrongTypes, unknownFieldsOption } from "./field-report.ts";
import { describeImport } from "./import-result.ts";
import { openRejects } from "./rejects-file.ts";

type Options = {
  rejects?: string;
  dryRun?: boolean;
  standing: boolean;
  publicKey?: string;
  unknownFields: UnknownFields;
  yes?: boolean;
  json?: boolean;
};

export const importCommand = (terminal: Terminal): Command =>
  new Command("import")
    .description("import people from a snapshot folder, a file of lines, or standard input")
    .argument("<source>", "a folder, a file, or - for standard input")
    .option("--dry-run", "read, check and compare all lines, and write nothing to the database")
    .option("--rejects <file>", "file for refused lines (default: rejects-<time>.ndjson)")
    .addOption(unknownFieldsOption())
    .option("--public-key <file>", "refuse the snapshot unless this key verifies its signature")
    .option("--no-standing", "do not build the list; `credence standing refresh` or a running `credence work` does it")
    .option("--yes", "do not ask before decisions of another authority hide people")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
A line is a person as in V1 responses: {"passport": {…}, "credentials": […]}. docs/SNAPSHOTS.md describes the format.
An import replaces facts. It hides and shows nobody, and leaves out who was erased here; the decisions of a snapshot are
added to those of this server. Serving continues. An interrupted import can be run again: people who are equal are skipped.
Exit code 0: every line was imported or skipped. 3: some lines were refused. 4: the source was refused, nothing was written.

Examples:
  $ credence import ./snapshot
  $ credence import people.ndjson.zst --dry-run
  $ credence generate --people 1000 | credence import -`,
    )
    .action((path: string, options: Options) => importFrom(terminal, path, options));

async function importFrom(terminal: Terminal, path: string, options: Options): Promise<void> {
  const { optOutKeys } = requireConfig(terminal);
  const { dryRun = false, yes = false } = options;
  const rejects = openRejects(terminal, options.rejects, dryRun);
  const publicKeys = options.publicKey === undefined ? [] : await readPublicKeys(options.publicKey);
  const source = await openSource(path, publicKeys, path === "-" ? terminal.stdin : null);
  if (source.signature === "valid") printMessage(terminal, "The signature is valid.");
  if (source.signature === "unchecked")
    printMessage(terminal, "The snapshot is signed. Use --public-key to verify the signature.");
  if (path === "-" && terminal.stdin.isTTY) printMessage(terminal, "Reading one person per line. End with Ctrl-D.");
  let hasBegun = false;
  printOnInterrupt(terminal, () =>
    dryRun || !hasBegun
      ? "Nothing was written to the database."
      : "What was imported stays. Run the same command again to continue.",
  );

  const run = async (database: Database) => {
    await requireKeys(database, optOutKeys);
    const fields = createFieldCounts();
    let decisions: United | null = null;
    const done = await importSource(database, source, {
      dryRun,
      optOutKeys,
      fields,
      unknownFields: options.unknownFields,
      onRejected: rejects.write,
      async addDecisions(file) {
        decisions = await addDecisions(terminal, database, file, {
          keys: optOutKeys,
          restoreGraceMs: null,
          dryRun,
          yes,
        });
        return decisions !== null;
      },
      showProgress(step, work) {
        hasBegun ||= step !== "check";
        return withProgress(terminal, describeStep(step, dryRun), work);
      },
    }).finally(rejects.close);
    if (done === null) return;
    const { lines, imported, durationMs } = done;
    // A manifest may declare 0 people. A file or a stream without a line is probably a mistake.
    if (lines === 0 && source.manifest === null) {
      throw new SnapshotRefused(
        `${path === "-" ? "Standard input" : `"${path}"`} contains no people.`,
        "Check the source.",
      );
    }
    const standing = dryRun || !options.standing ? null : await refreshIfBehind(terminal, database);
    if (!dryRun && !options.standing && (await isStandingBehind(database))) {
      printMessage(terminal, "The list was not built again. Build it with `credence standing refresh`.");
    }
    if (source.manifest !== null && source.manifest.people !== lines) {
      printMessage(
        terminal,
        `The manifest declares ${formatPeople(source.manifest.people)}, but ${formatCount(lines, "line was", "lines were")} read.`,
      );
    }
    const result = {
      dry_run: dryRun,
      lines,
      ...imported,
      decisions,
      duration_ms: durationMs,
      rejects: rejects.writtenTo(),
      standing,
    };
    printResult(terminal, options.json, result, describeImport(result));
    if (imported.refused > 0) terminal.exitCode = EXIT.attention;
    for (const message of explainRefusals(terminal, imported, fields)) printMessage(terminal, message);
  };
  // A dry run adds decisions in a transaction that is rolled back.
  const isReadOnly = dryRun && source.decisions === null;
  await withDatabase(terminal, "import", run, { isDryRun: isReadOnly, writesAs: "import" });
}

/** What to do about refused lines with unknown fields, wrong types, or without credentials. */
function explainRefusals(terminal: Terminal, { reasons }: Imported, fields: FieldCounts): string[] {
  const unknown = fields.listUnknown();
  const { message, advice } = describeUnknown(terminal, unknown);
  return [
    ...(unknown.length === 0 ? [] : [message, advice]),
    ...describeWrongTypes(fields, COLLECT_CONVERTS),
    ...("credentials is missing" in reasons ? [SAVED_RESPONSES] : []),
  ];
}

const COLLECT_CONVERTS =
  "`credence collect --from-files FILE --out FOLDER` converts what has one lossless form in V1. Correct the rest.";

const SAVED_RESPONSES =
  "Lines without credentials may be saved V1 responses. Make a snapshot of them: credence collect --from-files FILE --out SNAPSHOT";

const describeStep = (step: ImportStep, dryRun: boolean): string =>
  step === "check" ? "Checked" : dryRun ? "Compared" : "Imported";
