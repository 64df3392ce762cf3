import { Command } from "commander";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printCount, printResult, say, sayWhenStopped } from "#cli/terminal/output.ts";
import { showProgress } from "#cli/terminal/progress.ts";
import { applyOptOuts } from "#operations/holders/apply-opt-outs.ts";
import { importPeople } from "#operations/import/import-people.ts";
import { countLines, type Imported, type ImportOptions } from "#operations/import/import-run.ts";
import { deleteOldHistory } from "#operations/scores/record-score-changes.ts";
import { type Refreshed, refreshStanding } from "#operations/standing/refresh-standing.ts";
import { configured, withDatabase } from "#process/connect.ts";
import { readKey } from "#snapshot/manifest.ts";
import { SnapshotRefused } from "#snapshot/refused.ts";
import { openSource, type Source, type SourceFile } from "#snapshot/source.ts";
import type { Database } from "#store/engine/database.ts";
import { hasDue } from "#store/scores/recalculation-queue.ts";
import { isStandingBehind } from "#store/standing/epochs.ts";
import { describeImport } from "./import-result.ts";
import { openRejects } from "./rejects-file.ts";

type Options = {
  rejects?: string;
  dryRun?: boolean;
  optOutsOnly?: boolean;
  recalculate?: boolean;
  standing: boolean;
  publicKey?: string;
  json?: boolean;
};

export const importCommand = (): Command =>
  new Command("import")
    .description("take people in: a snapshot's folder, a file of lines, or - for standard input")
    .argument("<source>", "a folder, a file, or -")
    .option("--dry-run", "read, check and compare everything, and write nothing to the database")
    .option("--rejects <file>", "where lines go that are not taken in (default: rejects-<time>.ndjson)")
    .option("--public-key <file>", "take the snapshot only if it is signed with this key's other half")
    .option("--opt-outs-only", "take in the opt-outs of a snapshot, and nobody else")
    .option("--recalculate", "have `credence work` work out the scores of whoever is added or changed")
    .option("--no-standing", "build no list; `credence standing refresh` or a running `credence work` does")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
One person a line, as V1 shows them: {"passport": {…}, "credentials": […]}. docs/SNAPSHOTS.md describes it.
Scores are kept as they come. With --recalculate, those of known people stay as they are until they are worked out anew.
Reads go on meanwhile. Stopped at any point, run it again: who is held as given is passed over.
Ends with 0 if every line was taken in or passed over, 3 if some were not, 4 if the source was refused and nothing written.

Examples:
  $ credence import ./snapshot
  $ credence import people.ndjson.zst --dry-run
  $ credence generate --people 1000 | credence import -`,
    )
    .action(importSource);

async function importSource(path: string, options: Options): Promise<void> {
  const { databaseUrl, optOutKey } = configured();
  const rejects = openRejects(options.rejects, options.dryRun ?? false);
  const publicKey = options.publicKey === undefined ? null : await readKey(options.publicKey, "public");
  const source = await openSource(path, publicKey);
  if (options.optOutsOnly && source.optOut === null) {
    throw new SnapshotRefused(`${path} holds no opt-outs.`, "Name the folder of a snapshot that has an opt-out file.");
  }
  if (publicKey !== null) say("The signature fits the key.");
  if (source.unchecked) say("The snapshot is signed. --public-key would check by whom.");
  if (path === "-" && process.stdin.isTTY) say("Reading people from the terminal, one a line. Ctrl-D ends it.");
  sayWhenStopped(
    options.dryRun
      ? "Nothing was written to the database."
      : "What was taken in stays; run the same command again to go on.",
  );

  await withDatabase(databaseUrl, "import", async (database) => {
    await checkSource(source);
    const dryRun = options.dryRun ?? false;
    const optOuts = await takeOptOuts(database, source, optOutKey, dryRun);
    const started = performance.now();
    const people = options.optOutsOnly ? { ...source, files: [] } : source;
    const recalculate = options.recalculate ?? false;
    const onRejected = rejects.write;
    const imported = await takePeople(database, people, { dryRun, optOutKey, recalculate, onRejected }).finally(
      rejects.close,
    );
    if (!dryRun) await deleteOldHistory(database);
    const duration_ms = Math.round(performance.now() - started);
    const lines = countLines(imported);
    // A snapshot may say that it holds nobody; a file or a stream without a line is more likely a mistake.
    if (lines === 0 && source.manifest === null) {
      throw new SnapshotRefused(
        `There is nobody in ${path === "-" ? "standard input" : path}.`,
        "Is it the right one?",
      );
    }
    const standing = dryRun || !options.standing ? null : await refreshIfBehind(database);
    if (!dryRun && !options.standing && (await isStandingBehind(database))) {
      say("The list is as it was. `credence standing refresh` brings it up to date.");
    }
    if (source.manifest !== null && !options.optOutsOnly && source.manifest.people !== lines) {
      say(`The manifest speaks of ${printCount(source.manifest.people, "person", "people")}.`);
    }
    const kept = { rejects: rejects.writtenTo() };
    const result = { dry_run: dryRun, lines, ...imported, opt_outs: optOuts, duration_ms, ...kept, standing };
    printResult(options.json ?? false, result, describeImport(result));
    if (recalculate && !dryRun && (await hasDue(database, 1))) {
      say("Scores are worked out by `credence work`; until then V1 shows calculating_score as true.");
    }
    if (imported.refused > 0) process.exitCode = EXIT.attention;
  });
}

async function takePeople(
  database: Database,
  source: Source,
  options: Omit<ImportOptions, "onProgress">,
): Promise<Imported> {
  const progress = showProgress(options.dryRun ? "Compared" : "Imported");
  const totalBytes = sumBytes(source.files);
  let isCommitted = false;
  const onProgress = ({ people, bytes }: { people: number; bytes: number }) => {
    progress.update({ people, fraction: totalBytes === null ? null : bytes / totalBytes });
  };
  try {
    const onCommitted = () => {
      isCommitted = !options.dryRun;
    };
    return await importPeople(database, source, { ...options, onProgress, onCommitted });
  } catch (error) {
    if (!(error instanceof SnapshotRefused) || !isCommitted) throw error;
    const advice =
      "It was whole a moment ago: something changed it while it was read. Part of it is taken in; run it again.";
    throw new Failure(error.message, advice, EXIT.failed, { cause: error });
  } finally {
    progress.end();
  }
}

/** Everything that can be known about the source before anything is written. */
async function checkSource(source: Source): Promise<void> {
  const progress = showProgress("Checked");
  const totalBytes = sumBytes(source.optOut === null ? source.files : [...source.files, source.optOut]);
  let bytes = 0;
  await source
    .check((chunk) => {
      bytes += chunk.length;
      progress.update({ people: null, fraction: totalBytes === null ? null : bytes / totalBytes });
    })
    .finally(progress.end);
}

function sumBytes(files: readonly SourceFile[]): number | null {
  const sizes = files.map((file) => file.bytes);
  return sizes.includes(null) ? null : sizes.reduce<number>((total, size) => total + (size ?? 0), 0);
}

async function takeOptOuts(database: Database, { optOut }: Source, key: string | null, dryRun: boolean) {
  const progress = showProgress("Looked for wallets that opted out:");
  const onProgress = (people: number) => progress.update({ people, fraction: null });
  const { foreignKeys, ...applied } = await applyOptOuts(database, { file: optOut, key, dryRun, onProgress }).finally(
    progress.end,
  );
  if (foreignKeys.length > 0) {
    say(
      `Some people opted out under a key that is not in OPT_OUT_KEY (${foreignKeys.join(", ")}): they are known by their id, not by their wallets, and may come in by those.`,
    );
  }
  return applied;
}

async function refreshIfBehind(database: Database): Promise<Refreshed | null> {
  if (!(await isStandingBehind(database))) return null;
  say("Building the list …");
  const refreshed = await refreshStanding(database);
  if (refreshed === null) say("Another process is building the list. Run `credence standing refresh` when it is done.");
  return refreshed;
}
