import { Command } from "commander";
import { withDatabase } from "#core/process/connect.ts";
import { formatCount, paint, printResult } from "#core/terminal/output.ts";
import type { OutputStream, Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import {
  type Affected,
  type AffectedClient,
  findAffectedClients,
  isReachable,
} from "#life-cycle/manage/find-affected-clients.ts";
import { findRisks, type Risk } from "#life-cycle/manage/risks.ts";
import { lifeCycle } from "#life-cycle/state-and-headers.ts";
import { type CalendarOptions, readPlannedConfig, withCalendarOptions } from "./life-cycle-plan.ts";

export const lifecycleCheckCommand = (terminal: Terminal): Command =>
  withCalendarOptions(new Command("check"))
    .description("validate the calendar, and list risks and the clients that it affects")
    .addHelpText(
      "after",
      `
An invalid calendar ends with 2. Risks end with 0: whether they matter is up to you. Without
DATABASE_URL, clients are not listed.

Example:
  $ credence lifecycle check`,
    )
    .action(async (options: CalendarOptions) => {
      const config = readPlannedConfig(terminal, options);
      const now = Date.now();
      const { state } = lifeCycle(config, now);
      const affected =
        config.databaseUrl === null ? null : await withDatabase(terminal, "lifecycle check", findAffectedClients);
      const risks = [...findRisks(config, now), ...contactRisks(affected?.clients ?? [])];
      const text = [
        `The calendar is valid. The state of V1 is ${state}.`,
        risks.length === 0 ? "No risks were found." : `${formatCount(risks.length, "risk")}:`,
        ...risks.map((risk) => formatRisk(terminal.stdout, risk)),
        ...formatClients(affected),
      ];
      const { clients = null, unidentified_requests = null } = affected ?? {};
      printResult(terminal, options.json, { state, risks, clients, unidentified_requests }, text.join("\n"));
    });

function contactRisks(clients: readonly AffectedClient[]): Risk[] {
  const unreachable = clients.filter(({ contact }) => !isReachable(contact));
  if (unreachable.length === 0) return [];
  const ids = unreachable.map(({ key_id }) => key_id).join(", ");
  return [
    {
      finding: `${formatCount(unreachable.length, "key")} without an e-mail address or a URL as contact: ${ids}.`,
      advice: "Find out who uses them, and replace them by keys with a contact.",
    },
  ];
}

const formatRisk = (stdout: OutputStream, { finding, advice }: Risk): string =>
  `${paint("yellow", "risk", stdout)}  ${printable(finding)}\n      ${printable(advice)}`;

function formatClients(affected: Affected | null): string[] {
  if (affected === null) return ["Clients are not listed: DATABASE_URL is not set."];
  const { clients, unidentified_requests: unidentified } = affected;
  return [
    clients.length === 0 ? "No client has a valid key." : `${formatCount(clients.length, "client")} with a valid key:`,
    ...clients.map(formatClient),
    ...(unidentified === 0
      ? []
      : [`${formatCount(unidentified, "request")} without a valid key in 30 days: see \`credence usage --by agent\`.`]),
  ];
}

function formatClient({ key_id, label, contact, requests, last_at }: AffectedClient): string {
  const use =
    last_at === null
      ? "no requests"
      : `${formatCount(requests, "request")}, last on ${last_at.toISOString().slice(0, 10)}`;
  return `${key_id}  ${printable(label)} (${printable(contact)}): ${use}`;
}
