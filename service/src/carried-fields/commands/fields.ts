import { CARRIED_FIELDS, type CarriedField, type CarriedFields } from "@credence/contract/carried.ts";
import { Argument, Command } from "commander";
import { changeCarriedFields } from "#carried-fields/carried-fields.ts";
import type { Database } from "#core/database/database.ts";
import { withDatabase } from "#core/process/connect.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { formatNumber, formatPeople, printMessage, printOnInterrupt, printResult } from "#core/terminal/output.ts";
import { withProgress } from "#core/terminal/progress.ts";
import { formatTable } from "#core/terminal/table.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { refreshIfBehind } from "#list/commands/refresh-if-behind.ts";
import { countCarriedValues, countPresented, findCarriedState } from "#people/facts/carried-fields.ts";
import { countPassports } from "#people/facts/passports.ts";

type Options = { yes?: boolean; json?: boolean };

export const fieldsCommand = (terminal: Terminal): Command =>
  new Command("fields")
    .description("fields that V1 does not have, but that old clients read: carry them, or drop them")
    .addHelpText(
      "after",
      `
V1 is the specification to the letter unless you carry one of three fields: ${CARRIED_FIELDS.join(", ")}. Clients of the
original service read them. docs/API.md says what they are, and docs/PRIVACY.md what it means to publish them.

Examples:
  $ credence fields list
  $ credence fields carry verified passport_profile.name --yes`,
    )
    .addCommand(
      new Command("list")
        .description("the fields, whether V1 sends them, and how many people have a value")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence fields list")
        .action((options: Options) =>
          withDatabase(terminal, "fields list", (database) => list(terminal, database, options)),
        ),
    )
    .addCommand(
      new Command("carry")
        .description("let V1 send these fields; a person without a value gets null")
        .addArgument(fieldsArgument())
        .option("--yes", "do not ask for confirmation")
        .option("--json", "print the result as JSON")
        .addHelpText(
          "after",
          `
The values are public: everybody can read them. The answers of all people are written again, while serving continues. Until that is done, some answers have the fields and
others do not; the list follows at the end. After an interruption, run the command again, or let \`credence work\` finish it. Then import the people again:
a line that was imported before brings its values in. Older versions of Credence cannot use the database meanwhile.

Example:
  $ credence fields carry verified --yes`,
        )
        .action((fields: CarriedField[], options: Options) => carry(terminal, fields, options)),
    )
    .addCommand(
      new Command("drop")
        .description("no longer send these fields, and delete their values")
        .addArgument(fieldsArgument())
        .option("--yes", "do not ask for confirmation")
        .option("--json", "print the result as JSON")
        .addHelpText("after", "\nExample:\n  $ credence fields drop verified --yes")
        .action((fields: CarriedField[], options: Options) => drop(terminal, fields, options)),
    );

const fieldsArgument = (): Argument => new Argument("<field...>", "the fields").choices(CARRIED_FIELDS);

async function carry(terminal: Terminal, fields: CarriedField[], options: Options): Promise<void> {
  const people = await withDatabase(terminal, "fields", countPassports);
  const whose = `${formatPeople(people)}, and of all who are imported later`;
  printMessage(terminal, `This publishes ${fields.join(", ")} of ${whose}: everybody can read it.`);
  if (await confirm(terminal, "Carry these fields?", options.yes ?? false, "Add --yes to confirm.")) {
    await change(terminal, options, { add: fields });
  }
}

async function drop(terminal: Terminal, fields: CarriedField[], options: Options): Promise<void> {
  const question = `Delete the values of ${fields.join(", ")} of all people?`;
  if (await confirm(terminal, question, options.yes ?? false, "Add --yes to confirm.")) {
    await change(terminal, options, { remove: fields });
  }
}

type Change = { add?: readonly CarriedField[]; remove?: readonly CarriedField[] };

async function change(terminal: Terminal, options: Options, { add = [], remove = [] }: Change): Promise<void> {
  printOnInterrupt(terminal, "Run the same command again to continue, or let `credence work` finish it.");
  await withDatabase(terminal, "fields", async (database) => {
    const carried = await withProgress(terminal, "Wrote the answers of", (update) =>
      changeCarriedFields(database, (before) => before.union(new Set(add)).difference(new Set(remove)), update),
    );
    // The list would go on sending dropped values.
    const standing = await refreshIfBehind(terminal, database);
    printResult(terminal, options.json, { carried: inOrder(carried), standing }, describeCarried(carried));
    if (add.length > 0) printMessage(terminal, "Values come with the next import: import the same people again.");
  });
}

const inOrder = (carried: CarriedFields): CarriedField[] => CARRIED_FIELDS.filter((field) => carried.has(field));

const describeCarried = (carried: CarriedFields): string =>
  carried.size === 0
    ? "V1 sends the fields of its specification only."
    : `V1 sends these fields beside its own: ${inOrder(carried).join(", ")}.`;

async function list(terminal: Terminal, database: Database, options: Options): Promise<void> {
  const { carried, presentedTo } = await findCarriedState(database);
  const values = await countCarriedValues(database);
  const people = await countPassports(database);
  const presented = presentedTo === null ? people : await countPresented(database, presentedTo);
  const fields = CARRIED_FIELDS.map((field) => ({ field, carried: carried.has(field), values: values[field] }));
  const isDone = presentedTo === null;
  const columns = [{ title: "field" }, { title: "carried" }, { title: "people with a value", isNumber: true }];
  const rows = fields.map((row) => [row.field, row.carried ? "yes" : "no", formatNumber(row.values)]);
  printResult(terminal, options.json, { fields, people, presented }, formatTable(terminal.stdout, columns, rows));
  if (!isDone) {
    printMessage(
      terminal,
      `The answers of ${formatPeople(presented)} of ${formatNumber(people)} agree with this so far. To continue, run the same command again; a running \`credence work\` does it too.`,
    );
  }
}
