import { Command } from "commander";
import { withDatabase } from "#core/process/connect.ts";
import { formatCount, formatNumber, paint, printMessage, printResult } from "#core/terminal/output.ts";
import type { OutputStream, Terminal } from "#core/terminal/terminal.ts";
import { type ListedKey, listKeys } from "#keys/manage/api-keys.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { addOwner, describeOwner, type OwnerOptions, ownerOf } from "./key-options.ts";
import { adoptCommand } from "./keys-adopt.ts";
import { limitCommand, revokeCommand, rotateCommand } from "./keys-change.ts";

type Json = { json?: boolean };

/** A key that expires in fewer days is marked. */
const EXPIRES_SOON_DAYS = 14;
const DAY_MS = 86_400_000;

export const keysCommand = (terminal: Terminal): Command =>
  new Command("keys")
    .description("API keys, which clients send as X-API-KEY")
    .addHelpText(
      "after",
      `
PostgreSQL notifies every serving node of a change, which usually takes effect within a second. A node that
misses the notice reads the change within 10 seconds.

Examples:
  $ (umask 077 && credence keys create --label "Ada's dashboard" --contact ada@example.org > key.txt)
  $ credence keys list
  $ (umask 077 && credence keys rotate 4fTz81Qm0a --overlap 7d > new-key.txt)
  $ credence keys revoke 4fTz81Qm0a --yes`,
    )
    .addCommand(createCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(rotateCommand(terminal))
    .addCommand(limitCommand(terminal))
    .addCommand(revokeCommand(terminal))
    .addCommand(adoptCommand(terminal));

function createCommand(terminal: Terminal): Command {
  return addOwner(new Command("create").description("create a key and print it once, on stdout"), true)
    .addHelpText(
      "after",
      `\nExample:\n  $ (umask 077 && credence keys create --label "Ada's dashboard" --contact ada@example.org > key.txt)`,
    )
    .action(async (options: OwnerOptions & Json) => {
      const { keyId, token } = await withDatabase(terminal, "keys", (database) => issueKey(database, ownerOf(options)));
      printResult(terminal, options.json, { key_id: keyId, token }, token);
      printMessage(
        terminal,
        `Key ${keyId} is printed on stdout once: only its hash is stored. It works on every node within 10 seconds.`,
      );
    });
}

function listCommand(terminal: Terminal): Command {
  return new Command("list")
    .description("list all keys with their ids, owners and states")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence keys list --json")
    .action(async (options: Json) => {
      const keys = await withDatabase(terminal, "keys", listKeys);
      printResult(
        terminal,
        options.json,
        keys,
        keys.length === 0 ? "No keys." : keys.map((key) => formatKey(key, terminal.stdout)).join("\n"),
      );
    });
}

function formatKey(key: ListedKey, stdout: OutputStream): string {
  const { key_id, adopted, points_limit, last_used_at } = key;
  const details = [
    describeOwner(key),
    ...(adopted ? ["adopted"] : []),
    ...(points_limit === null ? [] : [`limit ${formatNumber(points_limit)}`]),
    ...(last_used_at === null ? [] : [`last used ${formatDay(last_used_at)}`]),
    ...expiresSoon(key, stdout),
  ];
  return `${key_id}  ${stateOf(key).padEnd(18)}  ${details.join(", ")}`;
}

function expiresSoon({ revoked_at, expires_at }: ListedKey, stdout: OutputStream): string[] {
  const days = expires_at === null || revoked_at !== null ? Infinity : (expires_at.getTime() - Date.now()) / DAY_MS;
  if (days <= 0 || days >= EXPIRES_SOON_DAYS) return [];
  const left = days < 1 ? "less than a day" : formatCount(Math.floor(days), "day");
  return [paint("yellow", `expires in ${left}`, stdout)];
}

const formatDay = (date: Date): string => date.toISOString().slice(0, 10);

function stateOf({ revoked_at, expires_at }: ListedKey): string {
  if (revoked_at !== null) return `revoked ${formatDay(revoked_at)}`;
  if (expires_at === null) return "valid";
  return expires_at.getTime() > Date.now() ? `until ${formatDay(expires_at)}` : `expired ${formatDay(expires_at)}`;
}
