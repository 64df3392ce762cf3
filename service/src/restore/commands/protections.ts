import type { Database } from "#core/database/database.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { formatCount, formatLines, formatPassports, printMessage, printResult } from "#core/terminal/output.ts";
import { withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { exportProtections } from "#restore/export-protections.ts";
import { importProtections, previewProtections } from "#restore/import-protections.ts";
import type { ImportedProtections } from "#restore/plan-protections.ts";

type Options = { dryRun?: boolean | undefined; json?: boolean | undefined };

/** `credence export --protections FILE`. */
export async function exportToFile(terminal: Terminal, path: string, { json }: Options): Promise<void> {
  const exported = await withDatabase(terminal, "export", (database) => exportProtections(database, path));
  printResult(terminal, json, exported, `Wrote ${formatCount(exported.lines, "protection")} to "${path}".`);
}

/** `credence import --protections FILE`. */
export async function importFromFile(terminal: Terminal, path: string, options: Options): Promise<void> {
  const { optOutKeys, eraseGraceMs: graceMs } = requireConfig(terminal);
  const dryRun = options.dryRun ?? false;
  const apply = dryRun ? previewProtections : importProtections;
  const run = (database: Database) =>
    withProgress(
      terminal,
      dryRun ? "Compared" : "Applied",
      (onProgress) => apply(database, path, { optOutKeys, graceMs, onProgress }),
      (count) => formatCount(count, "protection"),
    );
  const result = await withDatabase(terminal, "import", run, { isDryRun: dryRun, writesAs: "import" });
  printResult(terminal, options.json, { dry_run: dryRun, ...result }, describe(path, dryRun, result));
  if (result.opt_outs > 0 && optOutKeys.length === 0) {
    printMessage(
      terminal,
      "OPT_OUT_KEY is not set: people who opted out were recognised by their numbers only. Set it, and run this command again.",
    );
  }
}

function describe(path: string, dryRun: boolean, result: ImportedProtections): string {
  const { imported_before } = result;
  if (imported_before !== null) {
    const { erased } = result;
    const swept = erased.length === 0 ? "Nothing was changed." : `Erased now: ${formatPassports(erased)}.`;
    return `"${path}" was imported on ${imported_before.toISOString()}. ${swept}`;
  }
  const listed = (ids: readonly number[], text: string) => ids.length > 0 && `${text}: ${formatPassports(ids)}.`;
  return formatLines(
    `${dryRun ? "Nothing was written to the database. An import would apply the" : "Imported the"} protections as of ${result.at}:`,
    `  erased     ${result.erased.length}, by ${formatCount(result.opt_outs, "opt-out")}`,
    `  hidden     ${result.hidden.length}, and ${result.kept.length} when they arrive by an import`,
    `  erasures   ${result.erasures_waiting.length} wait for their whole grace period`,
    `  keys       ${result.keys_restricted.length} revoked or expiring earlier, ${result.keys_missing.length} of the file are not stored here`,
    result.erasures_to_decide.length > 0 &&
      `Requests to erase that may have ended after the backup: ${result.erasures_to_decide.join(", ")}. Decide with \`credence requests show\`, \`approve\` or \`refuse\`.`,
    listed(
      result.erasures_unsigned,
      "Asked to be erased after the backup; their signed requests are lost. They are hidden, or will be when they arrive. Erase them with `credence passport erase`, or show them with `credence passport unhide`",
    ),
    listed(
      result.shown_in_file,
      "Shown after the backup, and hidden here. Show them with `credence passport unhide` if that is right",
    ),
  );
}
