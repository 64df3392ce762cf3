import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Command, InvalidArgumentError, Option } from "commander";
import { parseCsv } from "#core/files/csv.ts";
import { withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { isOneLine } from "#core/terminal/unprintable.ts";
import { adoptKeys, adoptSeenKey } from "#keys/manage/adopt-keys.ts";
import { type AdoptedKey, adoptKey } from "#keys/manage/issue-key.ts";
import { addOwner, type OwnerOptions, ownerOf } from "./key-options.ts";

type Options = Partial<OwnerOptions> & { json?: boolean; sha256?: Buffer; seen?: string; file?: string };

export function adoptCommand(terminal: Terminal): Command {
  return addOwner(new Command("adopt").description("accept keys that another server issued"), false)
    .option("--sha256 <hex>", "the SHA-256 of the key, instead of the key on standard input", parseSha256)
    .addOption(
      new Option("--seen <prefix>", "an unknown key that clients send, as shown by `credence usage unknown-keys`")
        .argParser(parsePrefix)
        .conflicts("sha256"),
    )
    .addOption(
      new Option("--file <csv>", "many keys: a table with the columns token or sha256, label and contact").conflicts([
        "sha256",
        "seen",
        "label",
        "contact",
      ]),
    )
    .addHelpText(
      "after",
      `
Reads the key from standard input, so that it appears in no shell history and no process list. --label and --contact
are required, unless --file contains them. A file is adopted as a whole or not at all; keys that are stored already
are skipped.

Examples:
  $ credence keys adopt --label "Old app" --contact dev@example.org < old-key.txt
  $ credence keys adopt --label "Old app" --contact dev@example.org --sha256 9f86d081884c7d65…
  $ credence keys adopt --label "Old app" --contact dev@example.org --seen 2c26b46b68ff
  $ credence keys adopt --file old-keys.csv`,
    )
    .action((options: Options) =>
      options.file === undefined ? adoptOne(terminal, options) : adoptFile(terminal, options.file, options),
    );
}

async function adoptOne(terminal: Terminal, { label, contact, ...options }: Options): Promise<void> {
  if (label === undefined || contact === undefined) {
    throw new Failure("--label and --contact are required.", "Add them, or name a table with --file.", EXIT.usage);
  }
  const owner = ownerOf({ ...options, label, contact });
  const adopted = await withDatabase(terminal, "keys", async (database) => {
    if (options.seen !== undefined) return adoptSeenKey(database, options.seen, owner);
    return adoptKey(
      database,
      options.sha256 === undefined ? { token: await readToken(terminal) } : { hash: options.sha256 },
      owner,
    );
  });
  if (typeof adopted === "string") throw notAdopted(adopted);
  const { keyId } = adopted;
  printResult(
    terminal,
    options.json,
    { key_id: keyId },
    `Adopted as ${keyId}. It works on every node within 10 seconds.`,
  );
}

async function adoptFile(terminal: Terminal, path: string, options: Options): Promise<void> {
  const keys = readTable(path, await readFile(path, "utf8"));
  const { json, ...common } = options;
  const listed = keys.map(({ key, label, contact }) => ({ key, owner: ownerOf({ ...common, label, contact }) }));
  const { adopted, known } = await withDatabase(terminal, "keys", (database) => adoptKeys(database, listed));
  printResult(
    terminal,
    json,
    { adopted: adopted.length, known_already: known, keys: adopted.map((keyId) => ({ key_id: keyId })) },
    `Adopted ${formatCount(adopted.length, "key")}; ${known} stored already. They work on every node within 10 seconds.`,
  );
}

type ListedKey = { key: AdoptedKey; label: string; contact: string };

/** Checks the whole table. Messages name lines, never a key. */
function readTable(path: string, csv: string): ListedKey[] {
  const [header, ...rows] = parseCsv(csv);
  const names = header?.fields.map((name) => name.trim().toLowerCase()) ?? [];
  const columnOf = (name: string): number => names.indexOf(name);
  const hasKeys = columnOf("token") !== -1 || columnOf("sha256") !== -1;
  if (!hasKeys || columnOf("label") === -1 || columnOf("contact") === -1) {
    const advice = "The first line must name the columns: token,label,contact or sha256,label,contact";
    throw new Failure(`"${path}" has no columns for keys, labels and contacts.`, advice, EXIT.usage);
  }
  const faults: string[] = [];
  const keys = rows.flatMap(({ line, fields }) => {
    const value = (name: string): string => fields[columnOf(name)]?.trim() ?? "";
    const fault = findFault(fields.length, names.length, value);
    if (fault !== null) faults.push(`line ${line}: ${fault}`);
    const key = value("sha256") === "" ? { token: value("token") } : { hash: Buffer.from(value("sha256"), "hex") };
    return fault === null ? [{ key, label: value("label"), contact: value("contact") }] : [];
  });
  if (rows.length === 0) faults.push("it contains no keys");
  if (faults.length === 0) return keys;
  const shown = faults.slice(0, 20).map((fault) => `  ${fault}`);
  const more = faults.length > shown.length ? [`  and ${faults.length - shown.length} more`] : [];
  const message = [`"${path}" was not adopted:`, ...shown, ...more].join("\n");
  throw new Failure(message, "Correct these lines. No key was adopted.", EXIT.usage);
}

function findFault(count: number, expected: number, value: (name: string) => string): string | null {
  if (count !== expected) return `has ${count} columns, not ${expected}`;
  const [token, sha256] = [value("token"), value("sha256")];
  if ((token === "") === (sha256 === "")) return "needs either a token or a sha256";
  if (sha256 !== "" && !/^[0-9a-f]{64}$/i.test(sha256)) return "the sha256 does not have 64 hexadecimal digits";
  if (token !== "" && !/^[\x21-\x7e]+$/.test(token)) return "the token has spaces or characters outside ASCII";
  for (const name of ["label", "contact"]) {
    if (!isOneLine(value(name))) return `the ${name} is empty or has several lines`;
  }
  return null;
}

function notAdopted(reason: "known already" | "not seen" | "ambiguous"): Failure {
  if (reason === "known already") return new Failure("This key is stored already.", "`credence keys list` shows it.");
  if (reason === "not seen")
    return new Failure("No unknown key has this hash.", "`credence usage unknown-keys` lists them.");
  return new Failure("Several unknown keys have hashes with this prefix.", "Use more digits.");
}

async function readToken(terminal: Terminal): Promise<string> {
  if (terminal.stdin.isTTY) printMessage(terminal, "Paste the key, then press Enter and Ctrl-D.");
  const token = (await text(terminal.stdin)).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Failure(
      "Standard input does not contain a key: expected one line without spaces.",
      "Send the key to standard input, or use --sha256.",
      EXIT.usage,
    );
  }
  return token;
}

function parsePrefix(prefix: string): string {
  if (!/^[0-9a-f]{6,64}$/i.test(prefix)) throw new InvalidArgumentError("Expected 6 to 64 hexadecimal digits.");
  return prefix;
}

function parseSha256(hex: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new InvalidArgumentError("Expected 64 hexadecimal digits.");
  return Buffer.from(hex, "hex");
}
