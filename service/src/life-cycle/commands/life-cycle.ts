import { Command } from "commander";
import { readConfig } from "#core/config/config.ts";
import { formatLines, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { describeLifeCycle } from "#life-cycle/describe.ts";
import { lifecycleCheckCommand } from "./life-cycle-check.ts";
import { lifecyclePlanCommand } from "./life-cycle-plan.ts";
import { lifecycleRehearseCommand } from "./life-cycle-rehearse.ts";
import { formatSpan, formatUtc, MEANINGS } from "./life-cycle-text.ts";

export const lifecycleCommand = (terminal: Terminal): Command =>
  new Command("lifecycle")
    .description("the deprecation of V1: its calendar, brownouts, and rehearsals for one key")
    .addHelpText(
      "after",
      `
The calendar comes from V1_DEPRECATED_AT, V1_SUNSET_AT, V1_BROWNOUTS, V1_SUCCESSOR_URL and
V1_DOCS_URL, and must be the same on every node. Run these commands with the environment of the
server. docs/DEPRECATION.md leads from the announcement to the last day.

Examples:
  $ credence lifecycle show
  $ V1_SUNSET_AT=2030-06-28 V1_BROWNOUTS=rising credence lifecycle plan`,
    )
    .addCommand(showCommand(terminal))
    .addCommand(lifecyclePlanCommand(terminal))
    .addCommand(lifecycleCheckCommand(terminal))
    .addCommand(lifecycleRehearseCommand(terminal));

function showCommand(terminal: Terminal): Command {
  return new Command("show")
    .description("show the state of V1, the next change and the calendar; needs no database")
    .option("--json", "print the result as JSON, as /deprecation.json has it")
    .addHelpText("after", "\nExample:\n  $ credence lifecycle show --json")
    .action((options: { json?: boolean }) => {
      const now = Date.now();
      const shown = describeLifeCycle(readConfig(terminal.environment), now);
      const { state, deprecated_at, sunset_at, brownouts, next_change } = shown;
      const left = next_change === null ? "" : `, in ${formatSpan(Date.parse(next_change.at) - now)}`;
      const text = formatLines(
        `The state of V1 is ${state}: ${MEANINGS[state]}.`,
        next_change === null
          ? "No change is planned."
          : `Next change: ${next_change.state} at ${next_change.at}${left}.`,
        "",
        `deprecated  ${deprecated_at}`,
        ...brownouts.map(
          ({ starts_at, ends_at }) =>
            `brownout    ${starts_at} to ${ends_at}, ${formatSpan(Date.parse(ends_at) - Date.parse(starts_at))}`,
        ),
        `sunset      ${sunset_at ?? "not set"}`,
        `notice      ${shown.docs_url}`,
        `successor   ${shown.successor_url ?? "not set"}`,
        `now         ${formatUtc(now)}`,
      );
      printResult(terminal, options.json, shown, text);
    });
}
