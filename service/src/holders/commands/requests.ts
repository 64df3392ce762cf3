import { Command } from "commander";
import { parseName } from "#core/config/config-values.ts";
import type { Database } from "#core/database/database.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatLines, formatPassports, printMessage, printResult } from "#core/terminal/output.ts";
import { integerParser, optionParser } from "#core/terminal/parse.ts";
import { formatTable } from "#core/terminal/table.ts";
import type { OutputStream, Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import {
  approveRequest,
  type Decided,
  refuseRequest,
  type ShownRequest,
  showRequest,
} from "#holders/manage/operator-decisions.ts";
import { listRequests, type StoredRequest } from "#holders/manage/requests.ts";
import { type HolderSettings, holderSettings } from "#holders/manage/settings.ts";

type Options = { yes?: boolean; json?: boolean };
type ListOptions = { all?: boolean; limit: number; json?: boolean };

export const requestsCommand = (terminal: Terminal): Command =>
  new Command("requests")
    .description("requests of holders to hide, show or erase their record")
    .addHelpText(
      "after",
      `
\`credence work\` verifies the signature of each request. With HOLDER_REQUESTS=review, and whenever another record is
involved, a request then waits for you in the state \`review\`. docs/PRIVACY.md describes what each request does.

Examples:
  $ credence requests list
  $ credence requests show 3`,
    )
    .addCommand(
      new Command("list")
        .description("list open requests, newest first")
        .option("--all", "closed requests too, which are kept for 90 days")
        .option("--limit <number>", "maximum number of requests", integerParser(1), 50)
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExamples:\n  $ credence requests list\n  $ credence requests list --all --json")
        .action((options: ListOptions) => list(terminal, options)),
    )
    .addCommand(
      withRequest(new Command("show").description("show a request, and the records that it would change"))
        .addHelpText("after", "\nExample:\n  $ credence requests show 1")
        .action((requestId: number, { json }: Options) =>
          withRequests(terminal, async (database, settings) => {
            const request = await requireRequest(database, requestId, settings);
            printResult(terminal, json, request, describeRequest(request));
          }),
        ),
    )
    .addCommand(
      withRequest(new Command("approve").description("carry out a request that waits for your decision"))
        .option("--yes", "do not ask for confirmation")
        .addHelpText(
          "after",
          `
An erasure hides the record at once; \`credence work\` erases it when ERASE_GRACE is over, which needs OPT_OUT_KEY.

Example:
  $ credence requests approve 1 --yes`,
        )
        .action((requestId: number, options: Options) =>
          withRequests(terminal, async (database, settings) => {
            const request = await requireRequest(database, requestId, settings);
            requireOptOutKey(request, settings);
            printMessage(terminal, describeRequest(request));
            if (!(await confirm(terminal, `Carry out request ${requestId}?`, options.yes ?? false, ADVICE))) return;
            report(terminal, requestId, await approveRequest(database, requestId, request.changes, settings), options);
          }),
        ),
    )
    .addCommand(
      withRequest(new Command("refuse").description("refuse a request, also an erasure before it is carried out"))
        .option("--yes", "do not ask for confirmation")
        .requiredOption(
          "--reason <text>",
          "for the holder, who sees it on the page of the request",
          optionParser(parseName),
        )
        .addHelpText("after", '\nExample:\n  $ credence requests refuse 2 --reason "The wallet is shared" --yes')
        .action((requestId: number, options: Options & { reason: string }) =>
          withRequests(terminal, async (database, settings) => {
            printMessage(terminal, describeRequest(await requireRequest(database, requestId, settings)));
            if (!(await confirm(terminal, `Refuse request ${requestId}?`, options.yes ?? false, ADVICE))) return;
            report(terminal, requestId, await refuseRequest(database, requestId, options.reason), options);
          }),
        ),
    );

const ADVICE = "Add --yes to confirm.";

const withRequest = (command: Command): Command =>
  command
    .argument("<request>", "the number of the request", integerParser(1))
    .option("--json", "print the result as JSON");

const withRequests = (terminal: Terminal, work: (database: Database, settings: HolderSettings) => Promise<void>) =>
  withDatabase(terminal, "requests", (database) => work(database, holderSettings(requireConfig(terminal))));

async function list(terminal: Terminal, { all = false, limit, json }: ListOptions): Promise<void> {
  // One more than is listed, to find out whether there are older requests.
  const found = await withDatabase(terminal, "requests", (database) => listRequests(database, all, limit + 1));
  const listed = found.slice(0, limit);
  const none = all ? "No requests." : "No open requests. List the closed ones with --all.";
  printResult(terminal, json, listed, listed.length === 0 ? none : formatList(terminal.stdout, listed));
  if (found.length > limit) printMessage(terminal, "There are older requests. Increase --limit to list them.");
}

function formatList(stdout: OutputStream, requests: readonly StoredRequest[]): string {
  const titles = ["Wish", "State", "Received", "Passports", "Note"];
  const columns = [{ title: "Request", isNumber: true }, ...titles.map((title) => ({ title }))];
  const rows = requests.map(({ request_id, wish, state, received_at, passport_ids, note, last_error }) => [
    String(request_id),
    wish,
    state,
    received_at.toISOString(),
    passport_ids.join(", "),
    printable((state === "received" ? last_error : note) ?? ""),
  ]);
  return formatTable(stdout, columns, rows);
}

async function requireRequest(database: Database, requestId: number, settings: HolderSettings): Promise<ShownRequest> {
  const request = await showRequest(database, requestId, settings);
  if (request !== null) return request;
  throw new Failure(`There is no request ${requestId}.`, "`credence requests list --all` lists all that are stored.");
}

function describeRequest(request: ShownRequest): string {
  const { request_id, wish, address, state, note, received_at, due_at, completed_at, changes, others } = request;
  return formatLines(
    `Request ${request_id}: ${wish}, ${address === null ? "its proof was erased" : `signed with ${printable(address)}`}.`,
    `Received on ${received_at.toISOString()}; state: ${state}.`,
    request.passport_ids.length > 0 && `About ${formatPassports(request.passport_ids)}.`,
    completed_at !== null && `Completed on ${completed_at.toISOString()}.`,
    state === "waiting" && due_at !== null && `Hidden, and erased on ${due_at.toISOString()}.`,
    state === "review" && `It would change ${changes.length === 0 ? "no record" : formatPassports(changes)}.`,
    others.length > 0 && `Of these, only a wallet is taken from ${formatPassports(others)}.`,
    request.attempts > 0 &&
      `It has failed ${formatCount(request.attempts, "time")}, and is tried again on ${request.retry_at.toISOString()}. Last error: ${printable(request.last_error ?? "")}`,
    note !== null && `Shown to the holder: ${printable(note)}`,
  );
}

function requireOptOutKey({ wish }: ShownRequest, { optOutKey }: HolderSettings): void {
  if (wish !== "erase" || optOutKey !== null) return;
  throw new Failure(
    "OPT_OUT_KEY is not set: the wallets could not be remembered, and an import could add the person again.",
    "Create a key with `openssl rand -hex 32`, store it like a password, and set it for this command, for workers and for every import.",
    EXIT.usage,
  );
}

function report(terminal: Terminal, requestId: number, { request, refusal }: Decided, { json }: Options): void {
  if (request === null) throw new Failure(`Request ${requestId} is closed.`, "Nothing was changed.");
  if (refusal !== null) throw new Failure(refusal, "Nothing was changed.");
  printResult(terminal, json, request, `Request ${requestId}: ${request.state}.`);
}
