import { Command } from "commander";
import { type LifeCycleState, listPeriods } from "#core/config/calendar.ts";
import { type Config, readConfig } from "#core/config/config.ts";
import { printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { formatSpan, formatUtc, MEANINGS } from "./life-cycle-text.ts";
import { type PreviewedResponse, previewResponse } from "./preview-response.ts";

type Options = { sunset?: string; brownouts?: string; successor?: string; json?: boolean };

type PlannedPeriod = {
  state: LifeCycleState;
  /** Null for the period that has no beginning or no end. */
  from: string | null;
  until: string | null;
  duration_seconds: number | null;
  /** At the start of the period, without a key. */
  response: PreviewedResponse;
};

export const lifecyclePlanCommand = (terminal: Terminal): Command =>
  new Command("plan")
    .description("print the whole calendar, and the headers sent in each state; needs no database")
    // With systemd and compose, a command gets its variables from files.
    .option("--sunset <date>", "the calendar with this V1_SUNSET_AT")
    .option("--brownouts <intervals>", "the calendar with this V1_BROWNOUTS")
    .option("--successor <url>", "the calendar with this V1_SUCCESSOR_URL")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nExample:\n  $ credence lifecycle plan --sunset 2030-06-28 --brownouts 2030-05-08T15:00:00Z/2030-05-08T16:00:00Z",
    )
    .action(({ sunset, brownouts, successor, json }: Options) => {
      const config = readConfig({
        ...terminal.environment,
        ...(sunset !== undefined && { V1_SUNSET_AT: sunset }),
        ...(brownouts !== undefined && { V1_BROWNOUTS: brownouts }),
        ...(successor !== undefined && { V1_SUCCESSOR_URL: successor }),
      });
      const periods = planPeriods(config);
      printResult(terminal, json, { periods }, `${formatTable(periods)}\n\n${formatResponses(periods)}`);
    });

function planPeriods(config: Config): PlannedPeriod[] {
  return listPeriods(config).map(({ state, from, until }) => {
    const isBounded = Number.isFinite(from) && Number.isFinite(until);
    return {
      state,
      from: formatEnd(from),
      until: formatEnd(until),
      duration_seconds: isBounded ? (until - from) / 1_000 : null,
      response: previewResponse(config, Math.max(from, config.deprecatedAt.getTime())),
    };
  });
}

const formatEnd = (time: number): string | null => (Number.isFinite(time) ? formatUtc(time) : null);

function formatTable(periods: readonly PlannedPeriod[]): string {
  const rows = periods.map(({ state, from, until, duration_seconds }) => [
    state,
    from ?? "",
    until ?? "",
    duration_seconds === null ? "" : formatSpan(duration_seconds * 1_000),
  ]);
  const widths = [11, 22, 22, 0];
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("")
      .trimEnd();
  return [line(["state", "from", "until", "duration"]), ...rows.map(line)].join("\n");
}

/** The response in the first period of each state: in the others, only Retry-After differs. */
function formatResponses(periods: readonly PlannedPeriod[]): string {
  const firsts = [...Map.groupBy(periods, ({ state }) => state).values()].flatMap((group) => group.slice(0, 1));
  return firsts
    .map(({ state, response: { status, headers } }) => {
      const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
      return `${state}: ${MEANINGS[state]}. At its start, without a key:\n  HTTP/1.1 ${status}\n${lines.join("\n")}`;
    })
    .join("\n\n");
}
