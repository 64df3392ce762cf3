import { Command } from "commander";
import { workUntilDone } from "#app/work/work.ts";
import type { Database } from "#core/database/database.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { explain, Failure } from "#core/terminal/failure.ts";
import { formatCount, formatLines, formatStanding, printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { requireKeyOfFile } from "#decisions/keep-file.ts";
import { FORGED } from "#holders/manage/jobs.ts";
import { addProcessed, nothingProcessed, type ProcessedRequests } from "#holders/manage/process-requests.ts";
import { holderSettings } from "#holders/manage/settings.ts";
import type { Refreshed } from "#list/manage/refresh-standing.ts";
import { refreshInChild } from "#list/manage/standing-child.ts";

export const workCommand = (terminal: Terminal): Command =>
  new Command("work")
    .description("carry out requests of holders, build the list, until stopped")
    .option("--until-done", "exit when nothing waits, after a build of the list if people changed")
    .option("--json", "with --until-done, print the result as JSON")
    .addHelpText(
      "after",
      `
Run one or more of them next to \`credence serve\`. It builds the list when people have changed and the standing is older than STANDING_MAX_AGE. It verifies each request of a holder again, and carries it
out or leaves it to \`credence requests\`; erasing needs OPT_OUT_KEY. It can be killed at any time: each batch is one transaction.
Logs are JSON lines on stdout.

Example:
  $ credence work --until-done`,
    )
    .action(async (options: { untilDone?: boolean; json?: boolean }) => {
      if (options.json && !options.untilDone) {
        throw new Failure("--json needs --until-done.", "Logs are JSON lines in any case.", EXIT.usage);
      }
      if (options.untilDone) return runUntilDone(terminal, options.json);
      const { runWorker } = await import("#app/work/run-worker.ts");
      return runWorker(terminal, requireConfig(terminal));
    });

async function runUntilDone(terminal: Terminal, json: boolean | undefined): Promise<void> {
  let standing: Refreshed | null = null;
  const config = requireConfig(terminal);
  requireKeyOfFile(config);
  let requests = nothingProcessed();
  let hasFailed = false;
  const run = (database: Database) =>
    workUntilDone(database, {
      usageRetentionDays: config.usageRetentionDays,
      holders: holderSettings(config),
      decisions: config,
      onOlder: (message) => printMessage(terminal, message),
      onRequests(processed) {
        requests = addProcessed(requests, processed);
      },
      onFailure(job, error) {
        hasFailed = true;
        const { message, advice } = explain(error);
        printMessage(terminal, `Cannot ${job}: ${printable(message)}\n${advice}`);
      },
      refreshStanding: () => refreshInChild(terminal, new AbortController().signal),
      onStanding(refreshed) {
        standing = refreshed;
      },
    });
  await withDatabase(terminal, "work", run, { writesAs: "work" });
  printResult(terminal, json, { requests, standing }, describe(requests, standing));
  if (requests.failed > 0) printMessage(terminal, "`credence requests list` shows which requests failed, and why.");
  if (hasFailed || requests.failed > 0) terminal.exitCode = EXIT.attention;
}

function describe({ advanced, forged, failed }: ProcessedRequests, standing: Refreshed | null): string {
  return formatLines(
    advanced > 0 && `Processed ${formatCount(advanced, "request")} of holders.`,
    forged > 0 && `Deleted ${formatCount(forged, "request")} without a valid signature: ${FORGED}`,
    failed > 0 && `${formatCount(failed, "attempt")} to carry out requests of holders failed, and will be repeated.`,
    standing && formatStanding(standing),
  );
}
