import { Command } from "commander";
import type { Config } from "#core/config/config.ts";
import { VERSION } from "#core/config/version.ts";
import type { Database } from "#core/database/database.ts";
import { isUnavailable } from "#core/database/failures.ts";
import { READ_ONLY } from "#core/database/wrong-server.ts";
import { askNodes, type NodeReport } from "#core/process/ask-nodes.ts";
import { requireConfig, withAnyDatabase } from "#core/process/connect.ts";
import type { Check } from "#core/terminal/check.ts";
import { formatCheck, withAdvice } from "#core/terminal/check-text.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { explain } from "#core/terminal/failure.ts";
import { formatCount, formatDuration, formatNumber, paint, printResult } from "#core/terminal/output.ts";
import type { OutputStream, Terminal } from "#core/terminal/terminal.ts";
import { checkNodes, checkTrustedProxies, describeNode } from "#doctor/check-nodes.ts";
import { readStatus, type Status } from "#doctor/read-status.ts";
import { describeState } from "#life-cycle/commands/life-cycle-text.ts";
import { findServedLifeCycle, type ServedLifeCycle } from "#life-cycle/served-life-cycle.ts";

export const statusCommand = (terminal: Terminal): Command =>
  new Command("status")
    .description("show on one screen what runs, what waits, and what needs attention")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
It asks the nodes (NODES) at their private ports, and shows what the role of DATABASE_URL can see: the
serving role counts neither people nor callers. It exits with 3 if no node is ready, and for any other problem.
Requests and their clients are those of today and yesterday. It changes nothing.

Examples:
  $ credence status
  $ credence status --json | jq .complaints`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const config = requireConfig(terminal);
      const nodes = await askNodes(config);
      const lifeCycle = findServedLifeCycle(config, nodes, Date.now());
      const status = await readOrExplain(terminal, config, nodes);
      const { state, next_change } = lifeCycle.document;
      const asked: Check[] = [
        { name: "nodes", ...checkNodes(nodes) },
        { name: "proxies", ...checkTrustedProxies(nodes, config) },
      ];
      const complaints = [
        ...asked.filter((check) => check.state !== "ok"),
        ...status.complaints.map(({ cause: _, ...complaint }) => complaint),
      ];
      printResult(
        terminal,
        json,
        { version: VERSION, nodes, life_cycle: { state, next_change, source: lifeCycle.node }, ...status, complaints },
        formatStatus(terminal.stdout, { ...status, complaints }, nodes, lifeCycle),
      );
      if (complaints.some((complaint) => complaint.state === "problem")) terminal.exitCode = EXIT.attention;
    });

type Shown = Omit<Status, "database"> & { database: Status["database"] | null };

/** A database that cannot be reached is a complaint like any other. */
async function readOrExplain(
  terminal: Terminal,
  config: Config & { databaseUrl: string },
  nodes: readonly NodeReport[],
): Promise<Shown> {
  try {
    const read = (database: Database) => readStatus(database, config, nodes);
    const status = await withAnyDatabase(terminal, "status", read, config.databaseUrl, READ_ONLY);
    return { ...status, complaints: status.complaints.map(withAdvice) };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const { message, advice } = explain(error);
    const complaint: Check = { name: "database", state: "problem", finding: message, advice };
    return {
      database: null,
      list: null,
      people: null,
      requests: null,
      keys: null,
      callers: null,
      complaints: [complaint],
    };
  }
}

const LABEL_COLUMNS = 15;
const NOT_VISIBLE = "not visible to this role";

function formatStatus(
  stdout: OutputStream,
  status: Shown,
  nodes: readonly NodeReport[],
  lifeCycle: ServedLifeCycle,
): string {
  const line = (label: string, text: string): string => `${paint("dim", label.padEnd(LABEL_COLUMNS), stdout)}${text}`;
  const { database, list } = status;
  const lines = [
    line("Version", VERSION),
    line("Nodes", nodes.length === 0 ? "not asked" : nodes.map(describeNode).join(", ")),
    line("V1", describeState(lifeCycle)),
  ];
  if (database !== null) lines.push(line("Database", `${database.name}, ${database.server}`));
  if (list !== null) {
    lines.push(
      line("People", describePeople(status, list)),
      line("List", describeList(list)),
      line("Requests", describeRequests(status)),
      line("Keys", describeKeys(status)),
      line("Callers", describeCallers(status)),
    );
  }
  return [...lines, "", ...describeComplaints(stdout, status.complaints)].join("\n");
}

function describePeople({ people }: Shown, list: NonNullable<Status["list"]>): string {
  const listed = `${formatNumber(list.people)} listed`;
  if (people === null) return `${listed}; others are ${NOT_VISIBLE}`;
  const { hidden, merged, erased } = people;
  return [
    listed,
    `${formatNumber(hidden)} hidden`,
    `${formatNumber(merged)} merged`,
    `${formatNumber(erased)} erased`,
  ].join(", ");
}

function describeList({ age_seconds, unlisted_seconds }: NonNullable<Status["list"]>): string {
  const age = `built ${formatDuration(age_seconds * 1_000)} ago`;
  if (unlisted_seconds === 0) return `${age}, up to date`;
  return `${age}, changes wait for ${formatDuration(unlisted_seconds * 1_000)}`;
}

function describeRequests({ requests: found }: Shown): string {
  if (found === null) return NOT_VISIBLE;
  const { requests, in_review, erasures_accepted, erasures_overdue, workers } = found;
  return [
    `${formatCount(requests, "request")} of holders ${requests === 1 ? "waits" : "wait"}`,
    ...(in_review > 0 ? [`${formatNumber(in_review)} ${in_review === 1 ? "needs" : "need"} your decision`] : []),
    ...(erasures_accepted > 0 ? [`${formatCount(erasures_accepted, "erasure")} in the grace period`] : []),
    ...(erasures_overdue > 0 ? [`${formatCount(erasures_overdue, "erasure")} overdue`] : []),
    workers === 0 ? "no worker runs" : `${formatCount(workers, "worker")} running`,
  ].join(", ");
}

function describeKeys({ keys }: Shown): string {
  if (keys === null) return NOT_VISIBLE;
  const { valid, expired, revoked } = keys;
  return `${formatNumber(valid)} valid, ${formatNumber(expired)} expired, ${formatNumber(revoked)} revoked`;
}

function describeCallers({ callers }: Shown): string {
  if (callers === null) return NOT_VISIBLE;
  const { clients, requests } = callers;
  return `${formatCount(clients, "client")} of V1 since yesterday, ${formatCount(requests, "request")}`;
}

function describeComplaints(stdout: OutputStream, complaints: readonly Check[]): string[] {
  if (complaints.length > 0) return complaints.map((complaint) => formatCheck(stdout, complaint));
  return [`${paint("green", "ok", stdout)}  \`credence doctor\` finds nothing to complain about.`];
}
