import { Command } from "commander";
import { formatCsv } from "#core/files/csv.ts";
import { withDatabase } from "#core/process/connect.ts";
import { formatNumber, printMessage, printResult } from "#core/terminal/output.ts";
import { formatTable } from "#core/terminal/table.ts";
import type { OutputStream, Terminal } from "#core/terminal/terminal.ts";
import { type Caller, listCallers, listUnknownKeys, MAX_LISTED_UNKNOWN_KEYS } from "#usage/manage/usage-reports.ts";
import { firstDay, type ReportOptions, refuseTwoFormats, withReportOptions } from "./report-options.ts";

export const whoCommand = (terminal: Terminal): Command =>
  withReportOptions(new Command("who").description("list who still calls V1: owners of keys, last use, trend"))
    .addHelpText(
      "after",
      `
The trend compares the last 7 days, including today, with the 7 days before. \`credence usage --by agent\` and
\`--by origin\` show what sends the anonymous requests.

Examples:
  $ credence usage who
  $ credence usage who --since 2026-01-01 --csv`,
    )
    .action(async (options: ReportOptions) => {
      refuseTwoFormats(options);
      const since = firstDay(options);
      const callers = await withDatabase(terminal, "usage", (database) => listCallers(database, since));
      if (options.csv) return printResult(terminal, false, null, callersCsv(callers));
      const text = callers.length === 0 ? "Nobody." : callersTable(terminal.stdout, callers);
      printResult(terminal, options.json, { since, callers }, text);
      if (!options.json)
        printMessage(terminal, `Clients with requests since ${since}, in UTC. Nodes report every ten seconds.`);
    });

const minuteOf = (date: Date): string => date.toISOString().slice(0, 16).replace("T", " ");

function labelOf({ label, revoked_at, expires_at }: Caller): string {
  if (label === null) return "";
  if (revoked_at !== null) return `${label}, revoked`;
  return expires_at !== null && expires_at.getTime() <= Date.now() ? `${label}, expired` : label;
}

function formatTrend({ last_week, week_before }: Caller): string {
  if (week_before === 0) return last_week === 0 ? "" : "new";
  const percent = Math.round((last_week / week_before - 1) * 100);
  return `${percent > 0 ? "+" : ""}${formatNumber(percent)} %`;
}

function callersTable(stdout: OutputStream, callers: readonly Caller[]): string {
  const columns = [
    { title: "client" },
    { title: "label", max: 30 },
    { title: "contact", max: 30 },
    { title: "last seen" },
    { title: "requests", isNumber: true },
    { title: "trend", isNumber: true },
  ];
  const rowOf = (caller: Caller) => [
    caller.client,
    labelOf(caller),
    caller.contact ?? "",
    minuteOf(caller.last_at),
    formatNumber(caller.requests),
    formatTrend(caller),
  ];
  return formatTable(
    stdout,
    columns,
    callers.map(rowOf),
    callers.map(({ requests }) => requests),
  );
}

function callersCsv(callers: readonly Caller[]): string {
  const rowOf = (caller: Caller) => [
    caller.client,
    caller.label,
    caller.contact,
    caller.last_at.toISOString(),
    caller.requests,
    caller.last_week,
    caller.week_before,
  ];
  const titles = ["client", "label", "contact", "last_seen", "requests", "last_week", "week_before"];
  return formatCsv(titles, callers.map(rowOf));
}

/** Enough digits to tell a hundred hashes apart. */
const SHOWN_DIGITS = 12;

export const unknownKeysCommand = (terminal: Terminal): Command =>
  withReportOptions(new Command("unknown-keys").description("list the most frequent keys that are not stored"))
    .addHelpText(
      "after",
      `
Keys are shown as the beginning of their SHA-256. To accept one, pass it to \`credence keys adopt --seen\`.

Example:
  $ credence usage unknown-keys`,
    )
    .action(async (options: ReportOptions) => {
      refuseTwoFormats(options);
      const since = firstDay(options);
      const keys = await withDatabase(terminal, "usage", (database) =>
        listUnknownKeys(database, since, MAX_LISTED_UNKNOWN_KEYS),
      );
      if (options.csv) {
        const rows = keys.map(({ name, requests, first_day, last_at }) => [
          name,
          requests,
          first_day,
          last_at.toISOString(),
        ]);
        return printResult(terminal, false, null, formatCsv(["sha256", "requests", "first_day", "last_seen"], rows));
      }
      const columns = [
        { title: "sha256" },
        { title: "first day" },
        { title: "last seen" },
        { title: "requests", isNumber: true },
      ];
      const rows = keys.map(({ name, requests, first_day, last_at }) => [
        name.slice(0, SHOWN_DIGITS),
        first_day,
        minuteOf(last_at),
        formatNumber(requests),
      ]);
      const bars = keys.map(({ requests }) => requests);
      const listed = keys.map(({ name, ...key }) => ({ sha256: name, ...key }));
      printResult(
        terminal,
        options.json,
        { since, keys: listed },
        keys.length === 0 ? "None." : formatTable(terminal.stdout, columns, rows, bars),
      );
      if (!options.json && keys.length > 0)
        printMessage(
          terminal,
          "Accept one with `credence keys adopt --seen SHA256 --label TEXT --contact TEXT`, or tell its owner to get a new key.",
        );
    });
