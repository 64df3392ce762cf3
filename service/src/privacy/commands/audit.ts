import { Command } from "commander";
import { parseDate } from "#core/config/config-values.ts";
import { withDatabase } from "#core/process/connect.ts";
import { formatCount, formatPeople, printMessage, printResult } from "#core/terminal/output.ts";
import { integerParser, optionParser } from "#core/terminal/parse.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { type AuditEntry, listAudit } from "#privacy/audit.ts";

type Options = { since?: Date; limit: number; json?: boolean };

export const auditCommand = (terminal: Terminal): Command =>
  new Command("audit")
    .description("list the changes to single people by operators and by requests of holders, newest first")
    .option(
      "--since <date>",
      "entries from this time on, such as 2027-12-31 (start of the day, UTC)",
      optionParser(parseDate),
    )
    .option("--limit <number>", "maximum number of entries", integerParser(1), 50)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
An entry has a time, an action (hide, unhide, erase), a passport id and a database role. Steps of a
holder's request (request, review, approve, refuse, withdraw, replace, see) and what it caused have the number of the request.
\`keep hidden\`: an import would have shown people who hid by signature; it says how many. \`unproven\`: requests
of holders were refused because the record does not list the wallet, or the signature is not valid. \`import without key\`,
\`lost key\`, \`other key\`: so many people who opted out are recognised by their passport number only.
Entries contain no name and no wallet. They stay until you delete them from the table \`audit\`.

Examples:
  $ credence audit
  $ credence audit --since 2026-01-01 --limit 1000 --json`,
    )
    .action(async ({ since, limit, json }: Options) => {
      // One more than is listed, to find out whether there are older entries.
      const found = await withDatabase(terminal, "audit", (database) => listAudit(database, since ?? null, limit + 1));
      const listed = found.slice(0, limit);
      printResult(terminal, json, listed, listed.length === 0 ? "No entries." : listed.map(formatEntry).join("\n"));
      if (found.length > limit) printMessage(terminal, "There are older entries. Increase --limit to list them.");
    });

function formatEntry(entry: AuditEntry): string {
  const { at, action, by_role, request_id } = entry;
  const subject = subjectOf(entry);
  const request = request_id === null ? "" : `, request ${request_id}`;
  return `${at.toISOString()}  ${action.padEnd(8)}  ${subject}, by ${printable(by_role)}${request}`;
}

function subjectOf({ passport_id, people, requests }: AuditEntry): string {
  if (people !== null) return formatPeople(people);
  return requests !== null ? formatCount(requests, "request") : `passport ${passport_id}`;
}
