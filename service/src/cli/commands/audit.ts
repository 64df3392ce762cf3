import { Command, InvalidArgumentError } from "commander";
import { printResult, say } from "#cli/terminal/output.ts";
import { flag, parseCount } from "#cli/terminal/parse.ts";
import { parseDate } from "#config-values.ts";
import { printable } from "#identity/unprintable.ts";
import { configured, withDatabase } from "#process/connect.ts";
import { type AuditEntry, listAudit } from "#store/holders/audit.ts";

type Options = { since?: Date; limit: number; json?: boolean };

export const auditCommand = (): Command =>
  new Command("audit")
    .description("list what operators did about single people, the newest entry first")
    .option(
      "--since <date>",
      "entries from this time on, such as 2027-12-31 (the beginning of that day, UTC)",
      flag(parseDate),
    )
    .option("--limit <number>", "how many entries to list at most", parseLimit, 50)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
An entry has a time, an action (hide, unhide, merge, unmerge, erase), a passport id and the database role that did it. It has no
name and no wallet. Entries are kept until you delete them from the table \`audit\`.

Examples:
  $ credence audit
  $ credence audit --since 2026-01-01 --limit 1000 --json`,
    )
    .action(async ({ since, limit, json }: Options) => {
      const { databaseUrl } = configured();
      // One more than is listed, to see whether there are older ones.
      const found = await withDatabase(databaseUrl, "audit", (database) =>
        listAudit(database, since ?? null, limit + 1),
      );
      const listed = found.slice(0, limit);
      printResult(json ?? false, listed, listed.length === 0 ? "No entries." : listed.map(printEntry).join("\n"));
      if (found.length > limit) say("There are older entries. --limit lists more of them.");
    });

function printEntry({ at, action, passport_id, merged_into, by_role }: AuditEntry): string {
  const into = merged_into === null ? "" : ` into ${merged_into}`;
  return `${at.toISOString()}  ${action.padEnd(7)}  passport ${passport_id}${into}, by ${printable(by_role)}`;
}

function parseLimit(text: string): number {
  const limit = parseCount(text);
  if (limit < 1) throw new InvalidArgumentError("Give a number of at least 1.");
  return limit;
}
