import { Command } from "commander";
import { withDatabase } from "#core/process/connect.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatDuration, formatPeople, printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { findCurrentEpoch } from "#list/epochs.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";

type Options = { json?: boolean };

export const standingCommand = (terminal: Terminal): Command =>
  new Command("standing")
    .description("the standing: the list in order of score, which GET /api/v1/passports serves")
    .addHelpText(
      "after",
      `
Examples:
  $ credence standing refresh
  $ credence standing show --json`,
    )
    .addCommand(
      new Command("refresh")
        .description("build the list again and switch to it; serving continues")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence standing refresh")
        .action((options: Options) => refresh(terminal, options)),
    )
    .addCommand(
      new Command("show")
        .description("show the age of the list and the number of people in it")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence standing show --json")
        .action((options: Options) => show(terminal, options)),
    );

async function refresh(terminal: Terminal, options: Options): Promise<void> {
  const refreshed = await withDatabase(terminal, "standing refresh", (database) => {
    printMessage(terminal, "Building the list …");
    return refreshStanding(database);
  });
  if (refreshed === null) {
    if (options.json) printResult(terminal, true, null, "");
    throw new Failure("Another process is building the list.", "Wait until it has finished.");
  }
  const { total, build_ms, left_epochs } = refreshed;
  if (left_epochs > 0) {
    printMessage(
      terminal,
      `${formatCount(left_epochs, "older list")} could not be dropped: in use, or owned by another role. The next refresh retries.`,
    );
  }
  printResult(
    terminal,
    options.json,
    refreshed,
    `The list has ${formatPeople(total)}, built in ${formatDuration(build_ms)}.`,
  );
}

async function show(terminal: Terminal, options: Options): Promise<void> {
  const current = await withDatabase(terminal, "standing show", findCurrentEpoch);
  const { total, built_at, age_seconds, build_ms } = current;
  printResult(
    terminal,
    options.json,
    current,
    `The list has ${formatPeople(total)}. It was built ${formatDuration(age_seconds * 1_000)} ago, at ${built_at.toISOString()}, in ${formatDuration(build_ms)}.`,
  );
}
