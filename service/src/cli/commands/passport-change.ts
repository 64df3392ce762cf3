import { Command } from "commander";
import { confirm } from "#cli/terminal/confirm.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printResult, say } from "#cli/terminal/output.ts";
import { changePerson, findSideEffects, type PersonChange, planChange } from "#operations/holders/change-person.ts";
import type { PersonFacts } from "#operations/people/read-people.ts";
import type { Database } from "#store/engine/database.ts";
import { nameOf, requirePerson, withPeople } from "./find-holder.ts";

export type ChangeOptions = { yes?: boolean; dryRun?: boolean; json?: boolean };

/** A change in words, of a person named as `nameOf` does. */
type Wording = {
  asked: (who: string) => string;
  planned: (who: string) => string;
  done: (who: string) => string;
  nothing: (who: string) => string;
  note: string;
};

/** The options of a command that changes something about one person. */
export function changing(command: Command): Command {
  return command
    .argument("<id or wallet>", "whom")
    .option("--yes", "do not ask")
    .option("--dry-run", "say what would happen, and do nothing")
    .option("--json", "print the result as JSON");
}

export function changeCommand(
  action: "hide" | "unhide" | "unmerge",
  { description, ...wording }: Wording & { description: string },
): Command {
  return changing(new Command(action).description(description))
    .addHelpText("after", `\nExample:\n  $ credence passport ${action} 1 --yes`)
    .action((reference: string, options: ChangeOptions) =>
      withPeople(async (database) => {
        const person = await requirePerson(database, reference);
        const change = { action, passportId: person.passport.passport_id };
        await carryOut(database, person, change, wording, options);
      }),
    );
}

export const mergeCommand = (): Command =>
  changing(
    new Command("merge").description("let one record be absorbed by another: its wallets lead there from now on"),
  )
    .requiredOption("--into <id or wallet>", "who absorbs it")
    .addHelpText(
      "after",
      `
The absorbed record still answers by its own id, with merged: true, and leaves the list. Scores are not added up.

Example:
  $ credence passport merge 2 --into 1 --yes`,
    )
    .action((reference: string, options: ChangeOptions & { into: string }) =>
      withPeople(async (database) => {
        const person = await requirePerson(database, reference);
        const survivor = await requirePerson(database, options.into);
        const [passportId, into] = [person.passport.passport_id, survivor.passport.passport_id];
        const wording = {
          asked: (who: string) => `Merge ${who} into ${nameOf(survivor)}?`,
          planned: (who: string) => `${who} would be merged into ${nameOf(survivor)}, and its wallets lead there.`,
          done: (who: string) => `${who} is merged into ${nameOf(survivor)}.`,
          nothing: (who: string) => `${who} is merged into ${nameOf(survivor)} already.`,
          note: "`credence passport unmerge` undoes it.",
        };
        await carryOut(database, person, { action: "merge", passportId, into }, wording, options);
      }),
    );

async function carryOut(
  database: Database,
  person: PersonFacts,
  change: PersonChange,
  wording: Wording,
  options: ChangeOptions,
): Promise<void> {
  const who = nameOf(person);
  const dry_run = options.dryRun ?? false;
  const tell = (result: { changed: boolean; would_change?: boolean }, text: string) =>
    printResult(
      options.json ?? false,
      { action: change.action, passport_id: change.passportId, dry_run, ...result },
      text,
    );
  const plan = await planChange(database, change);
  if (plan.refusal !== null) throw new Failure(plan.refusal, "Nothing was done.");
  const nothing = { changed: false, ...(dry_run && { would_change: false }) };
  if (plan.changed === null) return tell(nothing, wording.nothing(who));
  for (const effect of await findSideEffects(database, change)) say(effect);
  if (dry_run) return tell({ changed: false, would_change: true }, wording.planned(who));
  if (!(await confirm(wording.asked(who), options.yes ?? false))) return;
  const { changed, refusal } = await changePerson(database, change);
  if (refusal !== null) throw new Failure(refusal, "Nothing was done.");
  tell({ changed: changed !== null }, wording.done(who));
  say(wording.note);
}
