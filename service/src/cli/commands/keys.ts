import { text } from "node:stream/consumers";
import { Command, InvalidArgumentError } from "commander";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printResult, say } from "#cli/terminal/output.ts";
import { parseDate } from "#config-values.ts";
import { adoptKey, issueKey, type KeyOwner } from "#operations/access/issue-key.ts";
import { configured, withDatabase } from "#process/connect.ts";
import { type ListedKey, listKeys, updateKeyRevoked } from "#store/access/api-keys.ts";

type Json = { json?: boolean };
type OwnerOptions = { label: string; contact: string; expires?: Date };

export const keysCommand = (): Command =>
  new Command("keys")
    .description("keys that callers may send as X-API-KEY")
    .addHelpText(
      "after",
      `
What is made, adopted or revoked is known to every serving node within 10 seconds.

Examples:
  $ (umask 077 && credence keys create --label "Ada's dashboard" --contact ada@example.org > key.txt)
  $ credence keys list
  $ credence keys revoke 4fTz81Qm0a`,
    )
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addCommand(adoptCommand());

/** Options that say whose a key is. */
function owned(command: Command): Command {
  return command
    .requiredOption("--label <text>", "what the key is for", notBlank)
    .requiredOption("--contact <text>", "whom to write to about it", notBlank)
    .option("--expires <date>", "when it ends, such as 2027-12-31 (the beginning of that day, UTC)", futureDate)
    .option("--json", "print the result as JSON");
}

const ownerOf = ({ label, contact, expires }: OwnerOptions): KeyOwner => ({
  label,
  contact,
  expiresAt: expires ?? null,
});

function createCommand(): Command {
  return owned(new Command("create").description("make a key, and print it: once, on stdout, and never again"))
    .addHelpText(
      "after",
      `\nExample:\n  $ (umask 077 && credence keys create --label "Ada's dashboard" --contact ada@example.org > key.txt)`,
    )
    .action(async (options: OwnerOptions & Json) => {
      const { databaseUrl } = configured();
      const { keyId, token } = await withDatabase(databaseUrl, "keys", (database) =>
        issueKey(database, ownerOf(options)),
      );
      printResult(options.json ?? false, { key_id: keyId, token }, token);
      say(
        `Key ${keyId} stands on stdout, and nowhere else: only its hash is kept. Every node knows it within 10 seconds.`,
      );
    });
}

function adoptCommand(): Command {
  return owned(new Command("adopt").description("let a key that another server issued go on working"))
    .option("--sha256 <hex>", "the SHA-256 of the key, instead of the key on standard input", sha256)
    .addHelpText(
      "after",
      `
Reads the key from standard input, so that it stands in no history and no list of processes.

Examples:
  $ credence keys adopt --label "Old app" --contact dev@example.org < old-key.txt
  $ credence keys adopt --label "Old app" --contact dev@example.org --sha256 9f86d081884c7d65…`,
    )
    .action(async (options: OwnerOptions & Json & { sha256?: Buffer }) => {
      const { databaseUrl } = configured();
      const key = options.sha256 === undefined ? { token: await readToken() } : { hash: options.sha256 };
      const adopted = await withDatabase(databaseUrl, "keys", (database) => adoptKey(database, key, ownerOf(options)));
      if (adopted === "known already")
        throw new Failure("This key is known already.", "`credence keys list` shows it.");
      printResult(
        options.json ?? false,
        { key_id: adopted.keyId },
        `Adopted as ${adopted.keyId}, known everywhere within 10 seconds.`,
      );
    });
}

async function readToken(): Promise<string> {
  if (process.stdin.isTTY) say("Paste the key, then press Enter and Ctrl-D.");
  const token = (await text(process.stdin)).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Failure(
      "Standard input holds no key: one line without blanks.",
      "Send it there, or give --sha256.",
      EXIT.usage,
    );
  }
  return token;
}

function revokeCommand(): Command {
  return new Command("revoke")
    .description("end a key, for good")
    .argument("<key-id>", "its id, as `credence keys list` shows it")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence keys revoke 4fTz81Qm0a")
    .action(async (keyId: string, options: Json) => {
      const { databaseUrl } = configured();
      const key = await withDatabase(databaseUrl, "keys", (database) => updateKeyRevoked(database, keyId));
      if (key === null) throw new Failure("There is no key with this id.", "`credence keys list` shows them.");
      printResult(
        options.json ?? false,
        key,
        `Revoked ${keyId} (${key.label}, ${key.contact}), known everywhere within 10 seconds.`,
      );
    });
}

function listCommand(): Command {
  return new Command("list")
    .description("show all keys: their ids, whose they are, and whether they are valid")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence keys list --json")
    .action(async (options: Json) => {
      const { databaseUrl } = configured();
      const keys = await withDatabase(databaseUrl, "keys", listKeys);
      printResult(options.json ?? false, keys, keys.length === 0 ? "No keys." : keys.map(printKey).join("\n"));
    });
}

function printKey(key: ListedKey): string {
  return `${key.key_id}  ${stateOf(key).padEnd(18)}  ${key.label} (${key.contact})${key.adopted ? ", adopted" : ""}`;
}

function stateOf({ revoked_at, expires_at }: ListedKey): string {
  const day = (date: Date) => date.toISOString().slice(0, 10);
  if (revoked_at !== null) return `revoked ${day(revoked_at)}`;
  if (expires_at === null) return "valid";
  return expires_at.getTime() > Date.now() ? `until ${day(expires_at)}` : `expired ${day(expires_at)}`;
}

function notBlank(given: string): string {
  if (given.trim() === "" || /\p{Cc}/u.test(given)) throw new InvalidArgumentError("Give some text, on one line.");
  return given.trim();
}

function sha256(given: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(given)) throw new InvalidArgumentError("Give 64 hexadecimal digits.");
  return Buffer.from(given, "hex");
}

function futureDate(given: string): Date {
  try {
    const date = parseDate(given);
    if (date.getTime() <= Date.now()) throw new Error("It has passed already.");
    return date;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
