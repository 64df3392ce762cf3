import { Command } from "commander";
import { parseDuration } from "#core/config/config-values.ts";
import { withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { printResult } from "#core/terminal/output.ts";
import { optionParser } from "#core/terminal/parse.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { type RehearsedKey, updateKeyRehearsed } from "#life-cycle/manage/rehearsals.ts";
import { formatSpan, formatUtc } from "./life-cycle-text.ts";

const MAX_HOURS = 168;

type Options = { key: string; for?: number; stop?: boolean; json?: boolean };

export const lifecycleRehearseCommand = (terminal: Terminal): Command =>
  new Command("rehearse")
    .description("switch V1 off for one key, so that its owner can try a brownout")
    .requiredOption("--key <key-id>", "the id of the key, as shown by `credence keys list`")
    .option("--for <duration>", "how long, such as 30m or 1h, at most 168h", optionParser(parseRehearsal))
    .option("--stop", "end the rehearsal now")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Requests with this key get 410 with the code brownout until the end. Other clients are not affected.
The rehearsal begins and stops on every node within 10 seconds, and ends by itself.

Examples:
  $ credence lifecycle rehearse --key 7kQv20Rb5e --for 1h
  $ credence lifecycle rehearse --key 7kQv20Rb5e --stop`,
    )
    .action(async (options: Options) => {
      if ((options.for === undefined) === (options.stop === undefined))
        throw new Failure("Expected either --for or --stop.", "Add one of them.", EXIT.usage);
      const until = options.for === undefined ? null : new Date(Date.now() + options.for);
      const key = await withDatabase(terminal, "lifecycle rehearse", (database) =>
        updateKeyRehearsed(database, options.key, until),
      );
      if (key === null) throw new Failure("No valid key has this id.", "`credence keys list` shows all keys.");
      printResult(terminal, options.json, key, describe(key, options.for ?? 0));
    });

function describe({ key_id, label, contact, rehearsed_until }: RehearsedKey, durationMs: number): string {
  const name = `Key ${key_id} (${printable(label)}, ${printable(contact)})`;
  if (rehearsed_until === null) return `${name} works again on every node within 10 seconds.`;
  return `${name} gets 410 with the code brownout for ${formatSpan(durationMs)}, until ${formatUtc(rehearsed_until.getTime())}. It begins on every node within 10 seconds.
To end it earlier: credence lifecycle rehearse --key ${key_id} --stop`;
}

function parseRehearsal(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs < 1_000 || durationMs > MAX_HOURS * 3_600_000)
    throw new Error(`expected a duration from 1s to ${MAX_HOURS}h.`);
  return durationMs;
}
