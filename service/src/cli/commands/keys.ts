import { text } from "node:stream/consumers";
import { Command, InvalidArgumentError } from "commander";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printMessage, printResult } from "#cli/terminal/output.ts";
import { optionParser } from "#cli/terminal/parse.ts";
import { parseDate } from "#config-values.ts";
import { adoptKey, issueKey, type KeyOwner } from "#operations/access/issue-key.ts";
import { withDatabase } from "#process/connect.ts";
import { type ListedKey, listKeys, updateKeyRevoked } from "#store/access/api-keys.ts";

type Json = { json?: boolean };
type OwnerOptions = { label: string; contact: string; expires?: Date };

export const keysCommand = (): Command =>
  new Command("keys")
    .description("API keys, which clients send as X-API-KEY")
    .addHelpText(
      "after",
      `
A change takes effect on every serving node within 10 seconds.

Examples:
  $ (umask 077 && credence keys create --label "Ada's dashboard" --contact ada@example.org > key.txt)
  $ credence keys list
  $ credence keys revoke 4fTz81Qm0a`,
    )
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addCommand(adoptCommand());

/** Adds the options that describe the owner of a key. */
function withOwner(command: Command): Command {
  return command
    .requiredOption("--label <text>", "what the key is for", parseText)
    .requiredOption("--contact <text>", "how to reach its owner", parseText)
    .option(
      "--expires <date>",
      "expiry date, such as 2027-12-31 (start of the day, UTC)",
      optionParser(parseFutureDate),
    )
    .option("--json", "print the result as JSON");
}

const ownerOf = ({ label, contact, expires }: OwnerOptions): KeyOwner => ({
  label,
  contact,
  expiresAt: expires ?? null,
});

function createCommand(): Command {
  return withOwner(new Command("create").description("create a key and print it once, on stdout"))
    .addHelpText(
      "after",
      `\nExample:\n  $ (umask 077 && credence keys create --label "Ada's dashboard" --contact ada@example.org > key.txt)`,
    )
    .action(async (options: OwnerOptions & Json) => {
      const { keyId, token } = await withDatabase("keys", (database) => issueKey(database, ownerOf(options)));
      printResult(options.json, { key_id: keyId, token }, token);
      printMessage(
        `Key ${keyId} is printed on stdout once: only its hash is stored. It works on every node within 10 seconds.`,
      );
    });
}

function adoptCommand(): Command {
  return withOwner(new Command("adopt").description("accept a key that another server issued"))
    .option("--sha256 <hex>", "the SHA-256 of the key, instead of the key on standard input", parseSha256)
    .addHelpText(
      "after",
      `
Reads the key from standard input, so that it appears in no shell history and no process list.

Examples:
  $ credence keys adopt --label "Old app" --contact dev@example.org < old-key.txt
  $ credence keys adopt --label "Old app" --contact dev@example.org --sha256 9f86d081884c7d65…`,
    )
    .action(async (options: OwnerOptions & Json & { sha256?: Buffer }) => {
      const adopted = await withDatabase("keys", async (database) => {
        const key = options.sha256 === undefined ? { token: await readToken() } : { hash: options.sha256 };
        return adoptKey(database, key, ownerOf(options));
      });
      if (adopted === "known already")
        throw new Failure("This key is stored already.", "`credence keys list` shows it.");
      printResult(
        options.json,
        { key_id: adopted.keyId },
        `Adopted as ${adopted.keyId}. It works on every node within 10 seconds.`,
      );
    });
}

async function readToken(): Promise<string> {
  if (process.stdin.isTTY) printMessage("Paste the key, then press Enter and Ctrl-D.");
  const token = (await text(process.stdin)).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Failure(
      "Standard input does not contain a key: expected one line without spaces.",
      "Send the key to standard input, or use --sha256.",
      EXIT.usage,
    );
  }
  return token;
}

function revokeCommand(): Command {
  return new Command("revoke")
    .description("revoke a key permanently")
    .argument("<key-id>", "the id of the key, as shown by `credence keys list`")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence keys revoke 4fTz81Qm0a")
    .action(async (keyId: string, options: Json) => {
      const key = await withDatabase("keys", (database) => updateKeyRevoked(database, keyId));
      if (key === null) throw new Failure("No key has this id.", "`credence keys list` shows all ids.");
      printResult(
        options.json,
        key,
        `Revoked ${keyId} (${key.label}, ${key.contact}). Every node refuses it within 10 seconds.`,
      );
    });
}

function listCommand(): Command {
  return new Command("list")
    .description("list all keys with their ids, owners and states")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence keys list --json")
    .action(async (options: Json) => {
      const keys = await withDatabase("keys", listKeys);
      printResult(options.json, keys, keys.length === 0 ? "No keys." : keys.map(formatKey).join("\n"));
    });
}

function formatKey(key: ListedKey): string {
  return `${key.key_id}  ${stateOf(key).padEnd(18)}  ${key.label} (${key.contact})${key.adopted ? ", adopted" : ""}`;
}

function stateOf({ revoked_at, expires_at }: ListedKey): string {
  const day = (date: Date) => date.toISOString().slice(0, 10);
  if (revoked_at !== null) return `revoked ${day(revoked_at)}`;
  if (expires_at === null) return "valid";
  return expires_at.getTime() > Date.now() ? `until ${day(expires_at)}` : `expired ${day(expires_at)}`;
}

function parseText(text: string): string {
  if (text.trim() === "" || /\p{Cc}/u.test(text)) throw new InvalidArgumentError("Expected one line of text.");
  return text.trim();
}

function parseSha256(text: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError("Expected 64 hexadecimal digits.");
  return Buffer.from(text, "hex");
}

function parseFutureDate(text: string): Date {
  const date = parseDate(text);
  if (date.getTime() <= Date.now()) throw new Error("expected a date in the future.");
  return date;
}
