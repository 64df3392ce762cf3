import { Command } from "commander";
import { Failure } from "#cli/terminal/failure.ts";
import { printCount, printDuration, printResult, say } from "#cli/terminal/output.ts";
import { refreshStanding } from "#operations/standing/refresh-standing.ts";
import { configured, withDatabase } from "#process/connect.ts";
import { findCurrentEpoch } from "#store/standing/epochs.ts";

type Options = { json?: boolean };

export const standingCommand = (): Command =>
  new Command("standing")
    .description("the ranked snapshot behind the list of passports")
    .addHelpText(
      "after",
      `
Examples:
  $ credence standing refresh
  $ credence standing show --json`,
    )
    .addCommand(
      new Command("refresh")
        .description("rank everyone anew and switch the list to it, while reads go on")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence standing refresh")
        .action(refresh),
    )
    .addCommand(
      new Command("show")
        .description("show how old the list is and how many people are on it")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence standing show --json")
        .action(show),
    );

async function refresh(options: Options): Promise<void> {
  const { databaseUrl } = configured();
  say("Building the standing …");
  const refreshed = await withDatabase(databaseUrl, "standing refresh", refreshStanding);
  if (refreshed === null) {
    if (options.json) printResult(true, null, "");
    throw new Failure("Another process is building the standing.", "Wait for it; the list will be as new.");
  }
  const { epoch, total, build_ms, left_epochs } = refreshed;
  if (left_epochs > 0) {
    say(
      `${printCount(left_epochs, "older epoch")} could not be dropped, being read or another role's; the next refresh tries again.`,
    );
  }
  printResult(
    options.json ?? false,
    refreshed,
    `Epoch ${epoch} lists ${printCount(total, "person", "people")}, built in ${printDuration(build_ms)}.`,
  );
}

async function show(options: Options): Promise<void> {
  const { databaseUrl } = configured();
  const current = await withDatabase(databaseUrl, "standing show", findCurrentEpoch);
  const { epoch, total, built_at, build_ms } = current;
  printResult(
    options.json ?? false,
    current,
    `Epoch ${epoch} lists ${printCount(total, "person", "people")}. It was built ${printDuration(Date.now() - built_at.getTime())} ago, at ${built_at.toISOString()}, in ${printDuration(build_ms)}.`,
  );
}
