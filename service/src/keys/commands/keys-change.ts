import { Command, Option } from "commander";
import { parsePeriod } from "#core/config/config-values.ts";
import type { Database } from "#core/database/database.ts";
import { withDatabase } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatNumber, printMessage, printResult } from "#core/terminal/output.ts";
import { integerParser, optionParser } from "#core/terminal/parse.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { findKey, updateKeyLimit } from "#keys/manage/api-keys.ts";
import { revokeKey, rotateKey } from "#keys/manage/end-key.ts";
import { countRequestsOf } from "#usage/manage/usage-reports.ts";
import { addExpiry, describeOwner, MAX_POINTS } from "./key-options.ts";

type Json = { json?: boolean };

const noSuchKey = () => new Failure("No key has this id.", "`credence keys list` shows all ids.");

const changeOf = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .argument("<key-id>", "the id of the key, as shown by `credence keys list`")
    .option("--json", "print the result as JSON");

export function rotateCommand(terminal: Terminal): Command {
  return addExpiry(changeOf("rotate", "replace a key by a new one, and print the new key once, on stdout"))
    .addOption(
      new Option("--overlap <period>", "how long the old key stays valid, such as 12h or 7d")
        .argParser(optionParser(parsePeriod))
        .default(parsePeriod("7d"), "7d"),
    )
    .addHelpText(
      "after",
      `
The new key has the label, contact and limit of the old one. It expires only if you add --expires.

Example:
  $ (umask 077 && credence keys rotate 4fTz81Qm0a --overlap 7d > new-key.txt)`,
    )
    .action(async (keyId: string, options: Json & { overlap: number; expires?: Date }) => {
      const settings = { overlapMs: options.overlap, expiresAt: options.expires ?? null };
      const rotated = await withDatabase(terminal, "keys", (database) => rotateKey(database, keyId, settings));
      if (rotated === "no such key") throw noSuchKey();
      if (rotated === "not valid")
        throw new Failure("This key is revoked or expired.", "Create a new one: `credence keys create`.");
      const { keyId: newId, token, oldKey } = rotated;
      const until = (oldKey.expires_at as Date).toISOString();
      printResult(terminal, options.json, { key_id: newId, token, old_key_id: keyId, old_expires_at: until }, token);
      printMessage(
        terminal,
        `Key ${newId} is printed on stdout once: only its hash is stored. The old key ${keyId} expires at ${until}.`,
      );
    });
}

export function limitCommand(terminal: Terminal): Command {
  return changeOf("limit", "set the rate limit of a key")
    .argument("<points>", "points per 10 seconds, or `default`", parsePoints)
    .addHelpText(
      "after",
      `
Examples:
  $ credence keys limit 4fTz81Qm0a 500
  $ credence keys limit 4fTz81Qm0a default`,
    )
    .action(async (keyId: string, points: number | null, options: Json) => {
      const key = await withDatabase(terminal, "keys", (database) => updateKeyLimit(database, keyId, points));
      if (key === null) throw noSuchKey();
      const limit = points === null ? "the default limit" : `a limit of ${formatNumber(points)} points per 10 seconds`;
      printResult(terminal, options.json, key, `Key ${keyId}, ${describeOwner(key)}, has ${limit}.`);
    });
}

function parsePoints(text: string): number | null {
  return text === "default" ? null : integerParser(1, MAX_POINTS)(text);
}

type RevokeOptions = Json & { yes?: boolean; dryRun?: boolean };

/** Requests of the last days show who would notice. */
const NOTICED_DAYS = 30;

export function revokeCommand(terminal: Terminal): Command {
  return changeOf("revoke", "revoke a key permanently, after a question")
    .option("--yes", "do not ask")
    .option("--dry-run", "show the requests of the last 30 days with this key, and change nothing")
    .addHelpText(
      "after",
      `
Examples:
  $ credence keys revoke 4fTz81Qm0a --dry-run
  $ credence keys revoke 4fTz81Qm0a --yes`,
    )
    .action((keyId: string, options: RevokeOptions) =>
      withDatabase(terminal, "keys", (database) => revoke(terminal, database, keyId, options), {
        isDryRun: options.dryRun ?? false,
      }),
    );
}

async function revoke(terminal: Terminal, database: Database, keyId: string, options: RevokeOptions): Promise<void> {
  const { yes = false, dryRun = false, json } = options;
  const key = await findKey(database, keyId);
  if (key === null) throw noSuchKey();
  const requests = await countRequestsOf(database, keyId, NOTICED_DAYS);
  const owner = `${keyId}, ${describeOwner(key)}`;
  const used = `${formatCount(requests, "request")} in the last ${NOTICED_DAYS} days`;
  if (dryRun)
    return printResult(terminal, json, { ...key, requests }, `Would revoke ${owner}: ${used}. Nothing was changed.`);
  if (!(await confirm(terminal, `Revoke ${owner} for good? It had ${used}.`, yes))) return;
  const revoked = await revokeKey(database, keyId);
  const text = `Revoked ${owner}. Every node refuses it within 10 seconds, usually at once.`;
  printResult(terminal, json, { ...revoked, requests }, text);
}
