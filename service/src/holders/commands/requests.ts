import { Command } from "commander";
import { withDatabase } from "#core/process/connect.ts";
import { printMessage, printResult } from "#core/terminal/output.ts";
import { integerParser } from "#core/terminal/parse.ts";
import { formatTable } from "#core/terminal/table.ts";
import type { OutputStream, Terminal } from "#core/terminal/terminal.ts";
import { listRequests, type StoredRequest } from "#holders/manage/requests.ts";
import { approveCommand, refuseCommand } from "./requests-decide.ts";
import { describeRequest, requireRequest } from "./requests-text.ts";

export const requestsCommand = (terminal: Terminal): Command =>
  new Command("requests")
    .description("requests of holders to see, hide or erase their record")
    .addHelpText(
      "after",
      `
\`credence work\` verifies the signature of each request. With HOLDER_REQUESTS=review, and whenever another record is
involved, a request then waits for you in the state \`review\`. docs/PRIVACY.md describes what each request does.

Examples:
  $ credence requests list
  $ credence requests show 3`,
    )
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(approveCommand(terminal))
    .addCommand(refuseCommand(terminal));

function listCommand(terminal: Terminal): Command {
  return new Command("list")
    .description("list open requests, newest first")
    .option("--all", "closed requests too, which are kept for 90 days")
    .option("--limit <number>", "maximum number of requests", integerParser(1), 50)
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExamples:\n  $ credence requests list\n  $ credence requests list --all --json")
    .action(async ({ all = false, limit, json }: { all?: boolean; limit: number; json?: boolean }) => {
      // One more than is listed, to find out whether there are older requests.
      const { found, hasClosed } = await withDatabase(terminal, "requests", async (database) => ({
        found: await listRequests(database, all, limit + 1),
        hasClosed: (await listRequests(database, true, 1)).length > 0,
      }));
      const listed = found.slice(0, limit);
      const none = hasClosed ? "No open requests. List the closed ones with --all." : "No requests.";
      printResult(terminal, json, listed, listed.length === 0 ? none : formatList(terminal.stdout, listed));
      if (found.length > limit) printMessage(terminal, "There are older requests. Increase --limit to list them.");
    });
}

function formatList(stdout: OutputStream, requests: readonly StoredRequest[]): string {
  return formatTable(
    stdout,
    [
      { title: "Request", isNumber: true },
      { title: "Passport", isNumber: true },
      { title: "Action" },
      { title: "State" },
      { title: "Received" },
    ],
    requests.map((request) => [
      String(request.request_id),
      String(request.passport_id),
      request.action,
      request.attempts === 0 || request.state === "unverifiable" ? request.state : `${request.state}, failed`,
      request.received_at.toISOString(),
    ]),
  );
}

function showCommand(terminal: Terminal): Command {
  return new Command("show")
    .description("show a request, and the people it would change")
    .argument("<request>", "the number of the request", integerParser(1))
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence requests show 3")
    .action(async (requestId: number, { json }: { json?: boolean }) => {
      const request = await withDatabase(terminal, "requests", (database) => requireRequest(database, requestId));
      printResult(terminal, json, request, describeRequest(request));
    });
}
