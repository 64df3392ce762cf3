import { Command } from "commander";
import { parseName } from "#core/config/config-values.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { printMessage, printResult } from "#core/terminal/output.ts";
import { integerParser, optionParser } from "#core/terminal/parse.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { approveRequest, type Decided, refuseRequest, type ShownRequest } from "#holders/manage/operator-decisions.ts";
import { type HolderSettings, holderSettings } from "#holders/manage/settings.ts";
import { describeRequest, requireRequest } from "./requests-text.ts";

type Options = { yes?: boolean; json?: boolean };

const ADVICE = "Add --yes to confirm.";

/** Adds the argument and the options of a decision. */
const withDecisionOptions = (command: Command): Command =>
  command
    .argument("<request>", "the number of the request", integerParser(1))
    .option("--yes", "do not ask for confirmation")
    .option("--json", "print the result as JSON");

export const approveCommand = (terminal: Terminal): Command =>
  withDecisionOptions(new Command("approve").description("carry out a request that waits for your decision"))
    .addHelpText(
      "after",
      `
An erasure hides the record at once; \`credence work\` erases it when ERASE_GRACE is over, which needs OPT_OUT_KEY.

Example:
  $ credence requests approve 1 --yes`,
    )
    .action((requestId: number, options: Options) => {
      const settings = holderSettings(requireConfig(terminal));
      return withDatabase(terminal, "requests", async (database) => {
        const request = await requireRequest(database, requestId);
        requireOptOutKey(request, settings);
        printMessage(terminal, describeRequest(request));
        if (!(await confirm(terminal, `Carry out request ${requestId}?`, options.yes ?? false, ADVICE))) return;
        report(terminal, requestId, await approveRequest(database, requestId, request.others, settings), options);
      });
    });

export const refuseCommand = (terminal: Terminal): Command =>
  withDecisionOptions(new Command("refuse").description("refuse a request, also an erasure before it is carried out"))
    .requiredOption(
      "--reason <text>",
      "for the holder, who sees it with the code of the request",
      optionParser(parseName),
    )
    .addHelpText("after", '\nExample:\n  $ credence requests refuse 2 --reason "The wallet is shared" --yes')
    .action((requestId: number, options: Options & { reason: string }) =>
      withDatabase(terminal, "requests", async (database) => {
        printMessage(terminal, describeRequest(await requireRequest(database, requestId)));
        if (!(await confirm(terminal, `Refuse request ${requestId}?`, options.yes ?? false, ADVICE))) return;
        report(terminal, requestId, await refuseRequest(database, requestId, options.reason), options);
      }),
    );

function requireOptOutKey({ action }: ShownRequest, { optOutKey }: HolderSettings): void {
  if (action !== "erase" || optOutKey !== null) return;
  throw new Failure(
    "OPT_OUT_KEY is not set: the tombstone could not contain the wallets, and an import could add the person again.",
    "Create a key with `openssl rand -hex 32`, store it like a password, and set it for this command, for workers and for every import.",
    EXIT.usage,
  );
}

function report(terminal: Terminal, requestId: number, { request, refusal }: Decided, { json }: Options): void {
  if (request === null) throw new Failure(`Request ${requestId} is closed.`, "Nothing was changed.");
  if (refusal !== null) throw new Failure(refusal, "Nothing was changed.");
  printResult(terminal, json, request, `Request ${requestId}: ${request.state}.`);
  if (request.state !== "review") return;
  printMessage(terminal, "Another record became involved meanwhile. Look at the request again: credence requests show");
  terminal.exitCode = EXIT.attention;
}
