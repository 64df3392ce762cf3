import { Command, Option } from "commander";
import { formatCsv } from "#core/files/csv.ts";
import { withDatabase } from "#core/process/connect.ts";
import { formatNumber, printMessage, printResult } from "#core/terminal/output.ts";
import { formatTable } from "#core/terminal/table.ts";
import type { OutputStream, Terminal } from "#core/terminal/terminal.ts";
import { listMarks, listUsage, MAX_LISTED_MARKS, type UsageGroup } from "#usage/manage/usage-reports.ts";
import { type MarkKind, STATUSES } from "#usage/record-usage.ts";
import { firstDay, type ReportOptions, refuseTwoFormats, withReportOptions } from "./report-options.ts";
import { unknownKeysCommand, whoCommand } from "./usage-clients.ts";

const COLUMNS = { key: "client", endpoint: "endpoint", day: "day", status: "status" } as const;
const KINDS: Readonly<Record<string, MarkKind>> = {
  agent: "user agent",
  origin: "origin",
  parameter: "parameter",
  path: "path",
};

export const usageCommand = (terminal: Terminal): Command =>
  withReportOptions(new Command("usage").description("report the requests of V1, and who still sends them"))
    .enablePositionalOptions()
    .addOption(
      new Option("--by <group>", "how to group requests")
        .choices([...Object.keys(COLUMNS), ...Object.keys(KINDS)])
        .default("day"),
    )
    .addHelpText(
      "after",
      `
Counts every response of the three endpoints, by day in UTC. Nodes write their counts about every 10 seconds.
A client is the id of a key, \`anonymous\` or \`unknown key\`. User agents, origins and undefined query parameters are
those of clients without a valid key: the most frequent ones of each day, and their counts may be too low.
Paths also show what was asked but is not served, such as V1 under another prefix. Segments that may be a wallet or a
name are shown as *.

Examples:
  $ credence usage
  $ credence usage --by key --since 2026-01-01
  $ credence usage --by endpoint --csv
  $ credence usage --by path
  $ credence usage who`,
    )
    .action((options: ReportOptions & { by: string }) => report(terminal, options))
    .addCommand(whoCommand(terminal))
    .addCommand(unknownKeysCommand(terminal));

async function report(terminal: Terminal, options: ReportOptions & { by: string }): Promise<void> {
  refuseTwoFormats(options);
  const since = firstDay(options);
  const kind = KINDS[options.by];
  const column = COLUMNS[options.by as keyof typeof COLUMNS];
  const groups = await withDatabase<Group[]>(terminal, "usage", (database) =>
    kind === undefined ? listUsage(database, column, since) : listMarks(database, kind, since, MAX_LISTED_MARKS),
  );
  const total = groups.reduce((sum, { requests }) => sum + requests, 0);
  const result = { since, by: options.by, total, groups };
  if (options.csv) printResult(terminal, false, null, toCsv(options.by, groups));
  else
    printResult(
      terminal,
      options.json,
      result,
      groups.length === 0 ? "No requests." : toTable(terminal.stdout, options.by, groups, total),
    );
  if (!options.json && !options.csv)
    printMessage(terminal, `Requests since ${since}, in UTC. Nodes report every ten seconds.`);
}

type Group = Pick<UsageGroup, "name" | "requests"> & { statuses?: UsageGroup["statuses"] };

/** The statuses of the groups. Grouped by status, there is nothing to split. */
const listStatuses = (by: string, groups: readonly Group[]) =>
  by === "status" ? [] : STATUSES.filter((status) => groups.some(({ statuses }) => statuses?.[status] !== undefined));

function toTable(stdout: OutputStream, by: string, groups: readonly Group[], total: number): string {
  const statuses = listStatuses(by, groups);
  const count = (value: number | undefined) => (value === undefined ? "" : formatNumber(value));
  const rowOf = ({ name, requests, statuses: counts }: Group) => [
    name,
    formatNumber(requests),
    ...statuses.map((status) => count(counts?.[status])),
  ];
  const totals = statuses.map((status) => groups.reduce((sum, group) => sum + (group.statuses?.[status] ?? 0), 0));
  const columns = [{ title: by, max: 60 }, ...["requests", ...statuses].map((title) => ({ title, isNumber: true }))];
  const rows = [...groups.map(rowOf), ["total", formatNumber(total), ...totals.map(formatNumber)]];
  return formatTable(
    stdout,
    columns,
    rows,
    groups.map(({ requests }) => requests),
  );
}

function toCsv(by: string, groups: readonly Group[]): string {
  const statuses = listStatuses(by, groups);
  return formatCsv(
    [by, "requests", ...statuses],
    groups.map((group) => [group.name, group.requests, ...statuses.map((status) => group.statuses?.[status] ?? 0)]),
  );
}
