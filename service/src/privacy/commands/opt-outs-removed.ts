import { Command } from "commander";
import { inTransaction } from "#core/database/database.ts";
import { withDatabase } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { Failure } from "#core/terminal/failure.ts";
import { printResult } from "#core/terminal/output.ts";
import { integerParser } from "#core/terminal/parse.ts";
import { formatTable } from "#core/terminal/table.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { insertAudit } from "#privacy/audit.ts";
import { deleteKeptOut, listKeptOut } from "#privacy/removed-with-another.ts";

type Options = { yes?: boolean; json?: boolean };

const MAX_LISTED = 10_000;

export const removedCommand = (terminal: Terminal): Command =>
  new Command("removed")
    .description("people whom imports keep out because a snapshot named them as removed")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Their publisher removed them because somebody who opted out has their main wallet. Kept out by "main wallet", a person
can come back with another one; by "id", nobody knows here which wallet it was, and you decide.

Example:
  $ credence opt-outs removed`,
    )
    .action(({ json }: Options) => list(terminal, json));

export const allowCommand = (terminal: Terminal): Command =>
  new Command("allow")
    .description("let imports bring a person back whom a snapshot named as removed")
    .argument("<id>", "the passport number", integerParser(1))
    .option("--yes", "do not ask for confirmation")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence opt-outs allow 7 --yes")
    .action((id: number, options: Options) => allow(terminal, id, options));

async function list(terminal: Terminal, json: boolean | undefined): Promise<void> {
  const people = await withDatabase(terminal, "opt-outs", (database) => listKeptOut(database, MAX_LISTED));
  const columns = [{ title: "passport", isNumber: true }, { title: "kept out by" }, { title: "removed by" }];
  const rows = people.map(({ passport_id, by, origin }) => [
    `${passport_id}`,
    by,
    origin === "mirror" ? "the publisher, while this was a mirror" : "the publisher of a snapshot",
  ]);
  const text = people.length === 0 ? "Nobody is kept out." : formatTable(terminal.stdout, columns, rows);
  printResult(terminal, json, people, text);
}

async function allow(terminal: Terminal, passportId: number, { yes = false, json }: Options): Promise<void> {
  const question = `Let imports bring passport ${passportId} back, with any main wallet?`;
  if (!(await confirm(terminal, question, yes, "Add --yes to confirm."))) return;
  await withDatabase(terminal, "opt-outs", (database) =>
    inTransaction(database, async (connection) => {
      if (!(await deleteKeptOut(connection, passportId))) {
        throw new Failure(`Passport ${passportId} is not kept out.`, "`credence opt-outs removed` lists who is.");
      }
      await insertAudit(connection, "allow", [passportId]);
    }),
  );
  printResult(terminal, json, { passport_id: passportId }, `Imports may bring passport ${passportId} back.`);
}
