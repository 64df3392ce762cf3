import { Command } from "commander";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printCount, printDuration, printResult, say, sayWhenStopped } from "#cli/terminal/output.ts";
import { showProgress } from "#cli/terminal/progress.ts";
import { printable } from "#identity/unprintable.ts";
import { addRecalculated, nothingRecalculated, type Recalculated } from "#operations/scores/recalculate.ts";
import type { Refreshed } from "#operations/standing/refresh-standing.ts";
import { configured, withDatabase } from "#process/connect.ts";
import { refreshInChild } from "#process/standing-child.ts";
import { workUntilDone } from "#worker/work.ts";

export const workCommand = (): Command =>
  new Command("work")
    .description("recalculate whoever is due and keep the list fresh, until stopped")
    .option("--until-done", "end when nobody is due, and the list is built if people changed")
    .option("--json", "with --until-done, print the result as JSON")
    .addHelpText(
      "after",
      `
Run one beside \`credence serve\`, or several: each takes other people. It builds the list anew when people have changed and it
is older than STANDING_MAX_AGE. Killed at any moment, it leaves nothing half done. Logs are JSON lines on stdout.

Example:
  $ credence passport recalculate --all && credence work --until-done`,
    )
    .action(async (options: { untilDone?: boolean; json?: boolean }) => {
      if (options.json && !options.untilDone) {
        throw new Failure("Without --until-done there is no result to print.", "Logs are JSON anyway.", EXIT.usage);
      }
      if (options.untilDone) return runUntilDone(options.json ?? false);
      const { runWorker } = await import("#process/run-worker.ts");
      return runWorker(configured());
    });

async function runUntilDone(json: boolean): Promise<void> {
  const { databaseUrl } = configured();
  sayWhenStopped("What was done stays; the rest is still due.");
  const progress = showProgress("Recalculated");
  let done = nothingRecalculated();
  let standing: Refreshed | null = null;
  await withDatabase(databaseUrl, "work", (database) =>
    workUntilDone(database, {
      refreshStanding: () => refreshInChild(new AbortController().signal),
      onRecalculated(batch) {
        done = addRecalculated(done, batch);
        progress.update({ people: done.people, fraction: null });
      },
      onStanding(refreshed) {
        standing = refreshed;
      },
    }),
  ).finally(progress.end);
  printResult(json, { ...done, standing }, describe(done, standing));
  if (done.set_aside === 0) return;
  say("`credence passport due` tells who was set aside, and why.");
  process.exitCode = EXIT.attention;
}

function describe({ people, changed, set_aside, uncounted }: Recalculated, standing: Refreshed | null): string {
  return [
    `Recalculated ${printCount(people, "person", "people")}; the scores of ${changed} changed, ${set_aside} set aside.`,
    ...(uncounted.length > 0
      ? [`Credentials of these categories count for nothing: ${printable(uncounted.join(", "))}.`]
      : []),
    ...(standing === null
      ? []
      : [
          `The list shows ${printCount(standing.total, "person", "people")}, built in ${printDuration(standing.build_ms)}.`,
        ]),
  ].join("\n");
}
