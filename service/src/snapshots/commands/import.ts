import { Command } from "commander";
import type { Database } from "#core/database/database.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { readPublicKeys } from "#core/files/signing-key.ts";
import { openSource } from "#core/files/source.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatPeople, printMessage, printOnInterrupt, printResult } from "#core/terminal/output.ts";
import { withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { refreshIfBehind } from "#list/commands/refresh-if-behind.ts";
import { isStandingBehind } from "#list/epochs.ts";
import { insertPeopleAudit } from "#privacy/audit.ts";
import { describeMissing, requireOptOutKeys } from "#privacy/require-opt-out-keys.ts";
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
  withoutOptOutKey?: boolean;
  optOutsOnly?: boolean;
  protections?: string;
  standing: boolean;
  publicKey?: string;
  unknownFields: UnknownFields;
  json?: boolean;
};

/** Applies a file of protections. */
type ImportProtections = (
  terminal: Terminal,
  file: string,
  options: { dryRun?: boolean | undefined; json?: boolean | undefined },
) => Promise<void>;

export const importCommand = (terminal: Terminal, importProtections: ImportProtections): Command =>
  new Command("import")
    .description("import people from a snapshot folder, a file of lines, or standard input")
    .argument("[source]", "a folder, a file, or - for standard input")
    .option("--without-opt-out-key", "go on although OPT_OUT_KEY lacks an older key; never the newest")
    .option("--dry-run", "read, check and compare all lines, and write nothing to the database")
    .option("--rejects <file>", "file for refused lines (default: rejects-<time>.ndjson)")
    .addOption(unknownFieldsOption())
    .option("--public-key <file>", "refuse the snapshot unless this key verifies its signature")
    .option("--opt-outs-only", "import only the opt-outs of a snapshot")
    .option("--protections <file>", "instead, apply a file of `credence export --protections` to a restored database")
    .option("--no-standing", "do not build the list; `credence standing refresh` or a running `credence work` does it")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
A line is a person as in V1 responses: {"passport": {…}, "credentials": […]}. docs/SNAPSHOTS.md describes the format.
Serving continues during an import. An interrupted import can be run again: people whose stored state is equal are skipped.
Exit code 0: every line was imported or skipped. 3: some lines were refused. 4: the source was refused, nothing was written.

Examples:
  $ credence import ./snapshot
  $ credence import people.ndjson.zst --dry-run
  $ credence generate --people 1000 | credence import -
  $ credence import --protections protections.ndjson --dry-run`,
    )
    .action((path: string | undefined, options: Options) => importAny(terminal, path, options, importProtections));

function importAny(
  terminal: Terminal,
  path: string | undefined,
  options: Options,
  importProtections: ImportProtections,
): Promise<void> {
  const { protections, dryRun, json, ...others } = options;
  if (protections === undefined) {
    if (path !== undefined) return importFrom(terminal, path, options);
    throw new Failure("The source is missing.", "Name one: credence import ./snapshot", EXIT.usage);
  }
  const { standing, unknownFields, ...set } = others;
  if (path !== undefined || !standing || unknownFields !== "refuse" || Object.keys(set).length > 0) {
    const message = "--protections can be combined with --dry-run and --json only, not with a source.";
    throw new Failure(message, "Import people and protections with two commands.", EXIT.usage);
  }
  return importProtections(terminal, protections, { dryRun, json });
}

async function importFrom(terminal: Terminal, path: string, options: Options): Promise<void> {
  const { optOutKeys } = requireConfig(terminal);
  const { dryRun = false } = options;
  const rejects = openRejects(terminal, options.rejects, dryRun);
  const publicKeys = options.publicKey === undefined ? [] : await readPublicKeys(options.publicKey);
  const source = await openSource(path, publicKeys, path === "-" ? terminal.stdin : null);
  if (options.optOutsOnly && source.optOut === null) {
    throw new SnapshotRefused(`"${path}" contains no opt-outs.`, "Name the folder of a snapshot with an opt-out file.");
  }
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
    await acceptMissingKeys(terminal, database, optOutKeys, options);
    const fields = createFieldCounts();
    const { lines, imported, optOuts, durationMs } = await importSource(database, source, {
      dryRun,
      optOutKeys,
      fields,
      unknownFields: options.unknownFields,
      optOutsOnly: options.optOutsOnly ?? false,
      onRejected: rejects.write,
      onOptOuts: ({ foreignKeys }) => printForeignKeys(terminal, foreignKeys),
      showProgress(step, work) {
        hasBegun ||= step !== "check";
        return withProgress(terminal, describeStep(step, dryRun), work);
      },
    }).finally(rejects.close);
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
    if (source.manifest !== null && !options.optOutsOnly && source.manifest.people !== lines) {
      printMessage(
        terminal,
        `The manifest declares ${formatPeople(source.manifest.people)}, but ${formatCount(lines, "line was", "lines were")} read.`,
      );
    }
    const { foreignKeys: _, ...opt_outs } = optOuts;
    const files = { rejects: rejects.writtenTo() };
    const result = {
      dry_run: dryRun,
      lines,
      ...imported,
      opt_outs,
      duration_ms: durationMs,
      ...files,
      standing,
    };
    printResult(terminal, options.json, result, describeImport(result));
    if (imported.refused > 0) terminal.exitCode = EXIT.attention;
    for (const message of explainRefusals(terminal, imported, fields)) printMessage(terminal, message);
  };
  await withDatabase(terminal, "import", run, { isDryRun: dryRun, writesAs: "import" });
}

/** Refuses an import that would bring erased people back, unless the operator accepts it. */
async function acceptMissingKeys(
  terminal: Terminal,
  database: Database,
  optOutKeys: readonly string[],
  { withoutOptOutKey = false, dryRun = false }: Options,
): Promise<void> {
  for (const missing of await requireOptOutKeys(
    database,
    optOutKeys,
    withoutOptOutKey ? "--without-opt-out-key" : null,
  )) {
    printMessage(terminal, `${describeMissing(missing)}.`);
    if (!dryRun) await insertPeopleAudit(database, "import without key", missing.people);
  }
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
  ({ check: "Checked", "opt-outs": "Searched for opted-out wallets:", people: dryRun ? "Compared" : "Imported" })[step];

function printForeignKeys(terminal: Terminal, keys: readonly string[]): void {
  if (keys.length === 0) return;
  printMessage(
    terminal,
    `Some opt-outs were hashed with another key than OPT_OUT_KEY (${keys.join(", ")}). They match by passport id only: their wallets may be imported again.`,
  );
}
