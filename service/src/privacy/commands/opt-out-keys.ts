import { Command, Option } from "commander";
import { readConfig } from "#core/config/config.ts";
import { inTransaction } from "#core/database/database.ts";
import { withDatabase } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatNumber, formatPeople, printResult } from "#core/terminal/output.ts";
import { formatTable } from "#core/terminal/table.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { insertPeopleAudit } from "#privacy/audit.ts";
import { fingerprintOf } from "#privacy/opt-out.ts";
import { listKeyOrigins, updateKeyOrigin } from "#privacy/opt-outs.ts";

type Options = { as: "other" | "lost"; yes?: boolean; json?: boolean };

export const optOutsCommand = (terminal: Terminal): Command =>
  new Command("opt-outs")
    .description("the keys under which the wallets of erased people are stored")
    .addHelpText("after", "\nExample:\n  $ credence opt-outs keys")
    .addCommand(
      new Command("keys")
        .description("the keys by fingerprint, whether they were used here, and whether OPT_OUT_KEY has them")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence opt-outs keys")
        .action((options: Options) => list(terminal, options)),
    )
    .addCommand(
      new Command("give-up")
        .description("go on without a key: wallets under it are not recognised any more")
        .argument("<key>", "the fingerprint, as `credence opt-outs keys` prints it")
        .addOption(
          new Option("--as <origin>", "other: a key of another server; lost: nobody has it")
            .choices(["other", "lost"])
            .makeOptionMandatory(),
        )
        .option("--yes", "do not ask for confirmation")
        .option("--json", "print the result as JSON")
        .addHelpText(
          "after",
          `
Imports go on without this key, for ever: people whose tombstones have it are recognised by their passport number only.

Example:
  $ credence opt-outs give-up 5f3a9c0e1b2d4f68 --as lost --yes`,
        )
        .action((key: string, options: Options) => giveUp(terminal, key, options)),
    );

async function list(terminal: Terminal, { json }: Options): Promise<void> {
  const known = new Set(readConfig(terminal.environment).optOutKeys.map(fingerprintOf));
  const stored = await withDatabase(terminal, "opt-outs", listKeyOrigins);
  const keys = stored.map((row) => ({ ...row, is_set: known.has(row.key) }));
  const columns = [
    { title: "key" },
    { title: "used" },
    { title: "people", isNumber: true },
    { title: "in OPT_OUT_KEY" },
  ];
  const rows = keys.map(({ key, origin, people, is_set }) => [
    key,
    USED[origin] ?? origin,
    formatNumber(people),
    is_set ? "yes" : "no",
  ]);
  const text = keys.length === 0 ? "Nobody has opted out with a key." : formatTable(terminal.stdout, columns, rows);
  printResult(terminal, json, keys, text);
}

const USED: Readonly<Record<string, string>> = {
  here: "here",
  unknown: "here, or by another server",
  other: "by another server",
  lost: "here; given up",
};

async function giveUp(terminal: Terminal, key: string, { as, yes = false, json }: Options): Promise<void> {
  await withDatabase(terminal, "opt-outs", async (database) => {
    const found = (await listKeyOrigins(database)).find((row) => row.key === key);
    if (found === undefined || found.origin === "other" || found.origin === "lost") {
      throw new Failure(
        found === undefined ? `No tombstone has the key ${key}.` : `Key ${key} was given up before.`,
        "`credence opt-outs keys` lists the keys.",
      );
    }
    const question = `Recognise ${formatPeople(found.people)} who opted out by passport number only, for ever?`;
    if (!(await confirm(terminal, question, yes, "Add --yes to confirm."))) return;
    await inTransaction(database, async (connection) => {
      if (!(await updateKeyOrigin(connection, key, as))) return;
      await insertPeopleAudit(connection, as === "lost" ? "lost key" : "other key", found.people);
    });
    printResult(
      terminal,
      json,
      { key, origin: as },
      `Imports go on without key ${key}: ${formatPeople(found.people)} who opted out can be recognised by passport number only.`,
    );
  });
}
