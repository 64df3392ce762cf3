import { Command } from "commander";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printCount, printDuration, printResult, say } from "#cli/terminal/output.ts";
import { printable } from "#identity/unprintable.ts";
import { queueEveryone, queuePeople, queueSetAside } from "#operations/scores/queue-recalculation.ts";
import type { Database } from "#store/engine/database.ts";
import { findQueuedTo } from "#store/scores/recalculation-of-all.ts";
import { findBacklog, listSetAsideAfter } from "#store/scores/recalculation-queue.ts";
import { requirePerson, withPeople } from "./find-holder.ts";

type Options = { all?: boolean; setAside?: boolean; json?: boolean };

export const recalculateCommand = (): Command =>
  new Command("recalculate")
    .description("queue people whose scores `credence work` is to work out from their credentials")
    .argument("[id or wallet...]", "whom")
    .option("--all", "everyone, a few thousand at a time")
    .option("--set-aside", "those whose scores could not be worked out before")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
A category's score is the sum of its credentials' scores, each up to its max_score; the overall score is the sum of Activity,
Identity and Skills; other categories count for nothing. Sums are exact to a millionth of a point. Until it is done, V1 shows
the old score and calculating_score as true.

Examples:
  $ credence passport recalculate 1 2
  $ credence passport recalculate --all`,
    )
    .action((references: string[], options: Options) => {
      const ways = [references.length > 0, options.all, options.setAside].filter(Boolean).length;
      if (ways !== 1) {
        throw new Failure(
          ways === 0 ? "Nobody is named." : "That names people in two ways.",
          "Give ids or wallets, or --all, or --set-aside.",
          EXIT.usage,
        );
      }
      return withPeople((database) => queue(database, references, options));
    });

async function queue(database: Database, references: readonly string[], options: Options): Promise<void> {
  const json = options.json ?? false;
  if (options.all) {
    const begun = await queueEveryone(database);
    printResult(
      json,
      { begun },
      begun ? "Everyone is to be recalculated." : "Everyone is being recalculated already; it goes on.",
    );
  } else {
    const queued = options.setAside ? await queueSetAside(database) : await queueNamed(database, references);
    const none = options.setAside ? "Nobody is set aside." : "Whoever you name is queued already.";
    printResult(json, { queued }, queued === 0 ? none : `${printCount(queued, "person", "people")} queued.`);
    if (queued === 0 && options.setAside) return;
  }
  say("`credence work` does it; `credence passport due` shows how far it is.");
}

/** All or nobody: a name that leads nowhere is more likely a slip than meant. */
async function queueNamed(database: Database, references: readonly string[]): Promise<number> {
  const ids: number[] = [];
  for (const reference of references) ids.push((await requirePerson(database, reference)).passport.passport_id);
  return queuePeople(database, ids);
}

/** How many of those set aside are told one by one; --json tells more. */
const TOLD = 20;
const TOLD_TO_PROGRAMS = 10_000;

export const dueCommand = (): Command =>
  new Command("due")
    .description("show how many wait to be recalculated, and who was set aside, and why")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ credence passport due --json")
    .action((options: { json?: boolean }) =>
      withPeople(async (database) => {
        const backlog = await findBacklog(database);
        const queued_to = await findQueuedTo(database);
        const asides = await listSetAsideAfter(database, 0, options.json ? TOLD_TO_PROGRAMS : TOLD);
        const { due, oldest_due_at, set_aside } = backlog;
        const since = oldest_due_at && `, for ${printDuration(Date.now() - oldest_due_at.getTime())} at most`;
        const lines = [
          `${printCount(due, "person is", "people are")} due${since ?? ""}.`,
          ...(queued_to === null
            ? []
            : [`Everyone is to be recalculated; up to passport ${queued_to} they have been queued.`]),
          ...(set_aside === 0 ? [] : [`${printCount(set_aside, "person was", "people were")} set aside:`]),
          ...asides.map(({ passport_id, reason }) => `  passport ${passport_id}: ${printable(reason)}`),
          ...(set_aside > asides.length ? ["  …"] : []),
        ];
        printResult(options.json ?? false, { ...backlog, queued_to, set_aside_people: asides }, lines.join("\n"));
        if (due > 0 || queued_to !== null) say("`credence work` does it.");
        if (set_aside > 0) say("Once their data is mended, `credence passport recalculate --set-aside` tries again.");
      }),
    );
