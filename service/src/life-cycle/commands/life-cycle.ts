import { Command } from "commander";
import { readConfig } from "#core/config/config.ts";
import { askNodes } from "#core/process/ask-nodes.ts";
import { formatLines, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { findServedLifeCycle } from "#life-cycle/served-life-cycle.ts";
import { lifecyclePlanCommand } from "./life-cycle-plan.ts";
import { lifecycleRehearseCommand } from "./life-cycle-rehearse.ts";
import { describeSource, formatSpan, formatUtc, meaningOf } from "./life-cycle-text.ts";

export const lifecycleCommand = (terminal: Terminal): Command =>
  new Command("lifecycle")
    .description("the deprecation of V1: its calendar, brownouts, and rehearsals for one key")
    .addHelpText(
      "after",
      `
The calendar comes from V1_DEPRECATED_AT, V1_SUNSET_AT, V1_BROWNOUTS, V1_SUCCESSOR_URL and
V1_DOCS_URL, and must be the same on every node. \`show\` asks the nodes (NODES); run the
other commands with the environment of the server. docs/DEPRECATION.md leads from the announcement to the last day.

Examples:
  $ credence lifecycle show
  $ V1_SUNSET_AT=2030-06-28 V1_BROWNOUTS=2030-05-08/2030-05-09 credence lifecycle plan`,
    )
    .addCommand(showCommand(terminal))
    .addCommand(lifecyclePlanCommand(terminal))
    .addCommand(lifecycleRehearseCommand(terminal));

function showCommand(terminal: Terminal): Command {
  return new Command("show")
    .description("show the state of V1, the next change and the calendar of the running nodes; needs no database")
    .option("--json", "print the result as JSON: /deprecation.json, and what each node says")
    .addHelpText(
      "after",
      "\nWithout a node that answers, it shows the calendar of this environment.\n\nExample:\n  $ credence lifecycle show --json",
    )
    .action(async (options: { json?: boolean }) => {
      const config = readConfig(terminal.environment);
      const nodes = await askNodes(config);
      const now = Date.now();
      const served = findServedLifeCycle(config, nodes, now);
      const shown = served.document;
      const { state, deprecated_at, sunset_at, brownouts, next_change } = shown;
      const left = next_change === null ? "" : `, in ${formatSpan(Date.parse(next_change.at) - now)}`;
      const text = formatLines(
        `The state of V1 is ${state}: ${meaningOf(served)}.`,
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
        `source      ${describeSource(served)}`,
        ...served.differences.map((difference) => `differs     ${difference}`),
      );
      printResult(
        terminal,
        options.json,
        { ...shown, source: served.node, differences: served.differences, nodes },
        text,
      );
    });
}
