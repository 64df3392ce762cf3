import { Command } from "commander";
import type { Database } from "#core/database/database.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import {
  formatCount,
  formatDuration,
  formatLines,
  formatPeople,
  printMessage,
  printResult,
} from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { requirePerson, withPeople } from "#people/commands/require-person.ts";
import { isMirror } from "#people/facts/mirror-state.ts";
import { findBacklog } from "#scores/backlog.ts";
import { queueAll, queuePeople, queueSetAside } from "#scores/manage/queue-recalculation.ts";
import { findQueuedTo } from "#scores/manage/recalculation-of-all.ts";
import { listSetAsideAfter } from "#scores/manage/recalculation-queue.ts";

type Options = { all?: boolean; setAside?: boolean; json?: boolean };

export const recalculateCommand = (terminal: Terminal): Command =>
  new Command("recalculate")
    .description("queue people for recalculation of their scores by `credence work`")
    .argument("[id or wallet...]", "the people")
    .option("--all", "everyone, queued a few thousand at a time")
    .option("--set-aside", "people who were set aside because their recalculation failed")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
The score of a category is the sum of its credentials' scores, each limited to its max_score. The overall score is the
sum of Activity, Identity and Skills; other categories do not count. Sums are exact to a millionth of a point. Until the
recalculation, V1 responses contain the old score, and calculating_score is true.

Examples:
  $ credence passport recalculate 1 2
  $ credence passport recalculate --all`,
    )
    .action((references: string[], options: Options) => {
      const ways = [references.length > 0, options.all, options.setAside].filter(Boolean).length;
      if (ways !== 1) {
        throw new Failure(
          ways === 0 ? "No people are named." : "Ids or wallets, --all and --set-aside cannot be combined.",
          "Name ids or wallets, or use --all, or --set-aside.",
          EXIT.usage,
        );
      }
      return withPeople(terminal, (database) => queue(terminal, database, references, options));
    });

async function queue(
  terminal: Terminal,
  database: Database,
  references: readonly string[],
  options: Options,
): Promise<void> {
  const { json } = options;
  if (await isMirror(database)) {
    throw new Failure(
      "This server is a mirror: its scores are those of its publisher.",
      "Ask the publisher to recalculate them. After `credence mirror take-over` you can do it here.",
      EXIT.failed,
    );
  }
  if (options.all) {
    const begun = await queueAll(database);
    printResult(
      terminal,
      json,
      { begun },
      begun ? "Everyone will be recalculated." : "A recalculation of everyone is already running.",
    );
  } else {
    const queued = options.setAside ? await queueSetAside(database) : await queueNamed(database, references);
    const none = options.setAside ? "Nobody is set aside." : "These people are already queued.";
    printResult(terminal, json, { queued }, queued === 0 ? none : `${formatPeople(queued)} queued.`);
    if (queued === 0 && options.setAside) return;
  }
  printMessage(terminal, "`credence work` recalculates them; `credence passport due` shows the progress.");
}

/** Queues all of them or nobody: an unknown reference is probably a typing error. */
async function queueNamed(database: Database, references: readonly string[]): Promise<number> {
  const ids: number[] = [];
  for (const reference of references) ids.push((await requirePerson(database, reference)).passport.passport_id);
  return queuePeople(database, ids);
}

/** Maximum number of set-aside people listed, as text and with --json. */
const MAX_LISTED = 20;
const MAX_LISTED_JSON = 10_000;

export const dueCommand = (terminal: Terminal): Command =>
  new Command("due")
    .description("show how many people are due for recalculation, and who was set aside and why")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence passport due --json")
    .action((options: { json?: boolean }) =>
      withPeople(terminal, async (database) => {
        const backlog = await findBacklog(database);
        const queued_to = await findQueuedTo(database);
        const setAsidePeople = await listSetAsideAfter(database, 0, options.json ? MAX_LISTED_JSON : MAX_LISTED);
        const { due, oldest_due_seconds, set_aside } = backlog;
        const since = due === 0 ? "" : `, the oldest for ${formatDuration(oldest_due_seconds * 1_000)}`;
        const text = formatLines(
          `${formatCount(due, "person is", "people are")} due${since}.`,
          queued_to !== null && `Everyone will be recalculated; people up to passport ${queued_to} have been queued.`,
          set_aside > 0 && `${formatCount(set_aside, "person was", "people were")} set aside:`,
          ...setAsidePeople.map(({ passport_id, reason }) => `  passport ${passport_id}: ${printable(reason)}`),
          set_aside > setAsidePeople.length && "  …",
        );
        printResult(terminal, options.json, { ...backlog, queued_to, set_aside_people: setAsidePeople }, text);
        if (due > 0 || queued_to !== null) printMessage(terminal, "`credence work` recalculates them.");
        if (set_aside > 0)
          printMessage(terminal, "After fixing their data, retry with `credence passport recalculate --set-aside`.");
      }),
    );
