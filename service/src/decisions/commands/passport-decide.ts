import { Command } from "commander";
import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { confirm } from "#core/terminal/confirm.ts";
import { Failure } from "#core/terminal/failure.ts";
import { printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { findState, type PersonState } from "#decisions/ledger.ts";
import { listOpenErasures } from "#decisions/requests-of-person.ts";
import { decide } from "#decisions/settle.ts";
import { findReferenced, nameOf, withPeople } from "#people/commands/require-person.ts";

type Options = { yes?: boolean; dryRun?: boolean; json?: boolean };

/** A decision of the operator about one person, apart from an erasure. */
type Verb = {
  name: "hide" | "unhide" | "allow";
  action: "hide" | "show" | "allow";
  description: string;
  /** Why it cannot be done; null if it can. */
  refuse: (state: PersonState) => string | null;
  /** Whether it changes what is shown. */
  changes: (state: PersonState) => boolean;
  question: (name: string, state: PersonState) => string;
  planned: string;
  done: string;
  unchanged: string;
  note: string;
};

const isHidden = (state: PersonState): boolean => state.hidden_by_operator || state.hidden_by_holder || state.erasing;

const HIDE: Verb = {
  name: "hide",
  action: "hide",
  description: "exclude a person from look-ups, list and search; their data stays stored",
  refuse: () => null,
  changes: (state) => !isHidden(state) && !state.erased,
  question: (name) => `Hide ${name}?`,
  planned: "would be hidden from look-ups, list and search.",
  done: "is hidden.",
  unchanged: "is already hidden; your decision is recorded too.",
  note: "Shared caches may serve an answer for two more minutes, or for an hour if this server is unreachable.",
};

const UNHIDE: Verb = {
  name: "unhide",
  action: "show",
  description: "undo hide, also one by the holder",
  refuse: (state) =>
    state.erased ? "This person was erased. To let an import bring them back: credence passport allow" : null,
  changes: isHidden,
  question: (name, state) =>
    state.hidden_by_holder
      ? `${name} was hidden by the holder's signature. Show the record all the same?`
      : state.erasing
        ? `The holder asked to erase ${name}, and the signed request is lost. Show the record all the same?`
        : `Unhide ${name}?`,
  planned: "would no longer be hidden.",
  done: "is no longer hidden.",
  unchanged: "is not hidden.",
  note: "The person is listed again after the next build of the list, by `credence standing refresh` or `credence work`.",
};

const ALLOW: Verb = {
  name: "allow",
  action: "allow",
  description: "let the next import bring an erased person back, for example because they ask for it",
  refuse: () => null,
  changes: (state) => state.erased,
  question: (name) => `Let imports bring ${name} back, and the wallets of that record?`,
  planned: "could be imported again.",
  done: "can be imported again.",
  unchanged: "was not erased.",
  note: "The next import brings the record, if its source has it.",
};

export const decisionCommands = (terminal: Terminal): Command[] =>
  [HIDE, UNHIDE, ALLOW].map((verb) =>
    withDecisionOptions(new Command(verb.name).description(verb.description).argument("<id or wallet>", "the person"))
      .addHelpText("after", `\nExample:\n  $ credence passport ${verb.name} 1 --yes`)
      .action((reference: string, options: Options) =>
        withPeople(terminal, (database) => apply(terminal, database, reference, verb, options), options.dryRun),
      ),
  );

/** Adds the options of a command that decides about people. */
export const withDecisionOptions = (command: Command): Command =>
  command
    .option("--yes", "do not ask for confirmation")
    .option("--dry-run", "print what would happen, and change nothing")
    .option("--json", "print the result as JSON");

async function apply(
  terminal: Terminal,
  database: Database,
  reference: string,
  verb: Verb,
  { yes = false, dryRun: dry_run = false, json }: Options,
): Promise<void> {
  const { passportId: passport_id, person } = await findReferenced(database, reference);
  const state = await findState(database, passport_id);
  const refusal = verb.refuse(state) ?? (await findOpenErasure(database, verb, passport_id));
  if (refusal !== null) throw new Failure(refusal, "Nothing was changed.");
  const name = person === null ? `Passport ${passport_id}` : nameOf(person);
  const wouldChange = verb.changes(state);
  const print = (changed: boolean, text: string) =>
    printResult(
      terminal,
      json,
      { action: verb.name, passport_id, dry_run, changed, ...(dry_run && { would_change: wouldChange }) },
      `${name} ${text}`,
    );
  // A hide is recorded also if the person is hidden: another copy may have ended the other one.
  if (!wouldChange && (verb.action !== "hide" || dry_run)) return print(false, verb.unchanged);
  if (dry_run) return print(false, verb.planned);
  const isUnknown = person === null && verb.action !== "allow" && !state.erasing;
  const question = isUnknown
    ? `Passport ${passport_id} is not stored. Decide about it before it is imported?`
    : verb.question(name, state);
  if ((wouldChange || isUnknown) && !(await confirm(terminal, question, yes))) return;
  await inTransaction(database, async (connection) => {
    await lockPeople(connection);
    // A worker may have accepted one meanwhile.
    const accepted = await findOpenErasure(connection, verb, passport_id);
    if (accepted !== null) throw new Failure(accepted, "Nothing was changed.");
    await decide(connection, { action: verb.action, by: "operator", passportId: passport_id });
  });
  print(wouldChange, wouldChange ? verb.done : verb.unchanged);
  if (wouldChange) printMessage(terminal, verb.note);
}

/** The operator ends an erasure by refusing its request, so that its holder learns why. */
async function findOpenErasure(connection: Connection, { action }: Verb, passportId: number): Promise<string | null> {
  if (action !== "show") return null;
  const [open] = await listOpenErasures(connection, [passportId]);
  return open === undefined
    ? null
    : `Its holder asked to erase it: refuse request ${open} first, with \`credence requests refuse\`.`;
}
