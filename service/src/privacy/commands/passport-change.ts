import { Command } from "commander";
import type { Database } from "#core/database/database.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { Failure } from "#core/terminal/failure.ts";
import { printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { nameOf, requirePerson, withPeople } from "#people/commands/require-person.ts";
import type { PersonFacts } from "#people/read/read-people.ts";
import { changePerson, type PersonChange, planChange } from "#privacy/change-person.ts";

export type ChangeOptions = { yes?: boolean; dryRun?: boolean; json?: boolean };

/** The messages of a change. `planned`, `done` and `unchanged` follow the name of the person. */
type Messages = {
  question: (name: string) => string;
  planned: string;
  done: string;
  unchanged: string;
  note: string;
};

/** Adds the argument and the options of a command that changes one person. */
export function withChangeOptions(command: Command): Command {
  return command
    .argument("<id or wallet>", "the person")
    .option("--yes", "do not ask for confirmation")
    .option("--dry-run", "print what would happen, and change nothing")
    .option("--json", "print the result as JSON");
}

export function changeCommand(
  terminal: Terminal,
  action: PersonChange["action"],
  { description, ...messages }: Messages & { description: string },
): Command {
  return withChangeOptions(new Command(action).description(description))
    .addHelpText("after", `\nExample:\n  $ credence passport ${action} 1 --yes`)
    .action((reference: string, options: ChangeOptions) =>
      withPeople(
        terminal,
        async (database) => {
          const person = await requirePerson(database, reference);
          await applyChange(terminal, database, person, action, messages, options);
        },
        options.dryRun,
      ),
    );
}

async function applyChange(
  terminal: Terminal,
  database: Database,
  person: PersonFacts,
  action: PersonChange["action"],
  messages: Messages,
  options: ChangeOptions,
): Promise<void> {
  const name = nameOf(person);
  const { passport_id } = person.passport;
  const change: PersonChange = { action, passportId: passport_id };
  const dry_run = options.dryRun ?? false;
  const print = (result: { changed: boolean; would_change?: boolean }, text: string) =>
    printResult(terminal, options.json, { action, passport_id, dry_run, ...result }, text);
  const plan = await planChange(database, change);
  if (plan.refusal !== null) throw new Failure(plan.refusal, "Nothing was changed.");
  const unchanged = { changed: false, ...(dry_run && { would_change: false }) };
  if (plan.changed === null) {
    // Who says it again after a restore has decided.
    if (!dry_run) await changePerson(database, change);
    return print(unchanged, `${name} ${messages.unchanged}`);
  }
  if (dry_run) return print({ changed: false, would_change: true }, `${name} ${messages.planned}`);
  if (!(await confirm(terminal, messages.question(name), options.yes ?? false))) return;
  const { changed, refusal } = await changePerson(database, change);
  if (refusal !== null) throw new Failure(refusal, "Nothing was changed.");
  print({ changed: changed !== null }, `${name} ${messages.done}`);
  printMessage(terminal, messages.note);
}
