import { Command } from "commander";
import { parseDate } from "#core/config/config-values.ts";
import type { Database } from "#core/database/database.ts";
import { requireConfig, withDatabase } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { Failure } from "#core/terminal/failure.ts";
import {
  formatCount,
  formatLines,
  formatPassports,
  formatPeople,
  printMessage,
  printResult,
} from "#core/terminal/output.ts";
import { integerParser, optionParser } from "#core/terminal/parse.ts";
import { withProgress } from "#core/terminal/progress.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { listMissingKeys } from "#decisions/erased-wallets.ts";
import { type DecisionsFile, openDecisions, readDecisions } from "#decisions/file.ts";
import { exportDecisions } from "#decisions/keep-file.ts";
import { appendKeyDecision, type ListedDecision, listDecisions } from "#decisions/ledger.ts";
import { type United, type UniteOptions, uniteDecisions } from "#decisions/unite.ts";

type ListOptions = { since?: Date; passport?: number; limit: number; json?: boolean };
type FileOptions = { dryRun?: boolean; yes?: boolean; json?: boolean };

export const decisionsCommand = (terminal: Terminal): Command =>
  new Command("decisions")
    .description(
      "the ledger of what was decided here about people and keys: list it, write it to a file, import a file",
    )
    .addHelpText(
      "after",
      `
Rows are appended, and never changed or deleted. They have numbers of passports, ids of keys, times and roles, and no name or
wallet. A decision that hides holds until another one ends it. docs/PRIVACY.md describes what is stored.

Example:
  $ credence decisions list --limit 20`,
    )
    .addCommand(
      new Command("list")
        .description("list decisions, newest first")
        .option(
          "--since <date>",
          "from this time on, such as 2027-12-31 (start of the day, UTC)",
          optionParser(parseDate),
        )
        .option("--passport <id>", "about this passport only", integerParser(1))
        .option("--limit <number>", "maximum number of decisions", integerParser(1), 50)
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence decisions list --passport 7 --json")
        .action((options: ListOptions) => list(terminal, options)),
    )
    .addCommand(
      new Command("export")
        .description("write all decisions to a file, as a worker with DECISIONS_FILE does")
        .argument("<file>", "the file; it is replaced if it has nothing that this database lacks")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence decisions export decisions.ndjson")
        .action((path: string, options: FileOptions) => exportTo(terminal, path, options)),
    )
    .addCommand(
      new Command("import")
        .description("add the decisions of a file, after a restored backup or from a copy of this server")
        .argument("<file>", "a file of `credence decisions export`, of a worker, or of a snapshot")
        .option("--dry-run", "print what would happen, and change nothing")
        .option("--yes", "do not ask for confirmation")
        .option("--json", "print the result as JSON")
        .addHelpText(
          "after",
          `
The same file twice changes nothing. A file that no key of OPT_OUT_KEY authenticates can only hide people and keep them out.
Afterwards no erasure that a holder asked for is carried out for ERASE_GRACE.

Example:
  $ credence decisions import decisions.ndjson --dry-run`,
        )
        .action((path: string, options: FileOptions) => importFrom(terminal, path, options)),
    )
    .addCommand(
      new Command("give-up")
        .description("go on without a key of OPT_OUT_KEY that nobody has: wallets under it are not recognised any more")
        .argument("<key>", "the fingerprint, as `credence doctor` prints it")
        .option("--yes", "do not ask for confirmation")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence decisions give-up 5f3a9c0e1b2d4f68 --yes")
        .action((key: string, options: FileOptions) => giveUp(terminal, key, options)),
    );

async function list(terminal: Terminal, { since = undefined, passport, limit, json }: ListOptions): Promise<void> {
  // One more than is listed, to find out whether there are older ones.
  const query = { since: since ?? null, passportId: passport ?? null, limit: limit + 1 };
  const found = await withDatabase(terminal, "decisions", (database) => listDecisions(database, query));
  const listed = found.slice(0, limit);
  printResult(terminal, json, listed, listed.length === 0 ? "No decisions." : listed.map(formatDecision).join("\n"));
  if (found.length > limit) printMessage(terminal, "There are older decisions. Increase --limit to list them.");
}

function formatDecision(decision: ListedDecision): string {
  const { decided_at, action, decided_by, by_role, passport_id, key_id, due_at, request, is_foreign, in_force } =
    decision;
  return [
    `${decided_at.toISOString()}  ${action.padEnd(8)}  ${passport_id === null ? `key ${printable(key_id ?? "none")}` : `passport ${passport_id}`}`,
    `by ${decided_by} (${printable(by_role)})`,
    ...(due_at === null ? [] : [`not before ${due_at.toISOString()}`]),
    ...(request === null ? [] : [`request ${request}`]),
    ...(is_foreign ? ["of another authority"] : []),
    ...(in_force ? ["in force"] : []),
  ].join(", ");
}

async function exportTo(terminal: Terminal, path: string, { json }: FileOptions): Promise<void> {
  const { optOutKeys } = requireConfig(terminal);
  const decisions = await withDatabase(terminal, "decisions export", (database) =>
    exportDecisions(database, path, optOutKeys),
  );
  printResult(terminal, json, { decisions, file: path }, `Wrote ${formatCount(decisions, "decision")} to "${path}".`);
  if (optOutKeys.length === 0) {
    printMessage(terminal, "OPT_OUT_KEY is not set: an import of this file can only hide people and keep them out.");
  }
}

async function importFrom(terminal: Terminal, path: string, { dryRun = false, yes = false, json }: FileOptions) {
  const { optOutKeys: keys, eraseGraceMs: restoreGraceMs } = requireConfig(terminal);
  const file = await readDecisions(openDecisions(path), keys);
  const run = (database: Database) => addDecisions(terminal, database, file, { keys, restoreGraceMs, dryRun, yes });
  const united = await withDatabase(terminal, "decisions import", run, { writesAs: "decisions import" });
  if (united !== null) printResult(terminal, json, { dry_run: dryRun, ...united }, describeUnited(united, dryRun));
}

/** Adds the decisions of a file. Asks before it hides people for another authority. Null: the operator said no. */
export async function addDecisions(
  terminal: Terminal,
  database: Database,
  file: DecisionsFile,
  { yes, ...options }: Omit<UniteOptions, "onProgress"> & { yes: boolean },
): Promise<United | null> {
  const unite = (dryRun: boolean) =>
    withProgress(
      terminal,
      dryRun ? "Compared" : "Settled",
      (onProgress) => uniteDecisions(database, file, { ...options, dryRun, onProgress }),
      (people) => formatPeople(people),
    );
  if (!file.isOurs) {
    printMessage(
      terminal,
      file.key === null
        ? "No key authenticates this file: it can only hide people and keep them out."
        : `No key of OPT_OUT_KEY authenticates this file (${file.key}): it can only hide people and keep them out, and recognises erased people by their number only. If the key is an older one of yours, add it to OPT_OUT_KEY and import the file again.`,
    );
    const { hidden, added } = await unite(true);
    const question = `Add ${formatCount(added, "decision")} of another authority, and hide ${formatPeople(hidden.length)} who are stored?`;
    if (!options.dryRun && added > 0 && !(await confirm(terminal, question, yes))) return null;
  }
  return unite(options.dryRun);
}

export function describeUnited(united: United, dryRun: boolean): string {
  const listed = (ids: readonly number[], text: string) => ids.length > 0 && `${text}: ${formatPassports(ids)}.`;
  const { decisions, added, keys_restricted } = united;
  return formatLines(
    `${dryRun ? "Nothing was written. Of" : "Of"} ${formatCount(decisions, "decision")}, ${added} ${added === 1 ? "is" : "are"} new.`,
    listed(united.hidden, dryRun ? "To be hidden" : "Hidden now"),
    listed(united.shown, dryRun ? "To be shown" : "Shown now"),
    listed(united.erased, dryRun ? "To be erased" : "Erased now"),
    listed(united.lost_wallet, "They lose a wallet of an erased person"),
    listed(united.lost_main, "Of these, their main wallet; if they are the same person, erase them too"),
    keys_restricted.length > 0 &&
      `Keys that are revoked, or expire earlier: ${formatCount(keys_restricted.length, "key")}.`,
    listed(
      united.lost_erasures,
      "Asked to be erased, and the signed requests are lost. They are hidden: erase them with `credence passport erase`, or show them with `credence passport unhide`",
    ),
  );
}

async function giveUp(terminal: Terminal, key: string, { yes = false, json }: FileOptions): Promise<void> {
  const { optOutKeys } = requireConfig(terminal);
  await withDatabase(terminal, "decisions", async (database) => {
    const missing = (await listMissingKeys(database, optOutKeys)).find((found) => found.key === key);
    if (missing === undefined) {
      throw new Failure(
        `No erased person needs the key ${printable(key)}, or OPT_OUT_KEY has it.`,
        "`credence doctor` names the keys that are missing.",
      );
    }
    const question = `Recognise ${formatPeople(missing.people)} who ${missing.people === 1 ? "was" : "were"} erased by passport number only, for ever?`;
    if (!(await confirm(terminal, question, yes, "Add --yes to confirm."))) return;
    await appendKeyDecision(database, "give up key", key);
    printResult(terminal, json, { key, people: missing.people }, `Imports go on without key ${key}.`);
  });
}
