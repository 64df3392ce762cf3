import { Command } from "commander";
import { changeCommand, mergeCommand } from "./passport-change.ts";
import { eraseCommand } from "./passport-erase.ts";
import { historyCommand } from "./passport-history.ts";
import { dueCommand, recalculateCommand } from "./passport-recalculate.ts";
import { showCommand } from "./passport-show.ts";

const BACK_ON_THE_LIST =
  "The list has them after `credence standing refresh`, or when a running `credence work` builds it next.";

export const passportCommand = (): Command =>
  new Command("passport")
    .description("one person: their score and what changed it, and their rights")
    .addHelpText(
      "after",
      `
People are named by passport id, or by a wallet that only they list. docs/PRIVACY.md says what hiding and erasing mean.

Examples:
  $ credence passport show 1
  $ credence passport history 1
  $ credence passport hide 1 --yes`,
    )
    .addCommand(showCommand())
    .addCommand(historyCommand())
    .addCommand(recalculateCommand())
    .addCommand(dueCommand())
    .addCommand(
      changeCommand("hide", {
        description: "make somebody unknown to look-ups, list and search, and keep what is held",
        asked: (who) => `Hide ${who}?`,
        planned: (who) => `${who} would be hidden: look-ups, list and search would know nothing of them.`,
        done: (who) => `${who} is hidden.`,
        nothing: (who) => `${who} is hidden already.`,
        note: "Shared caches may hold an answer for two more minutes, for an hour if this server cannot be reached.",
      }),
    )
    .addCommand(
      changeCommand("unhide", {
        description: "show somebody again who was hidden",
        asked: (who) => `Show ${who} again?`,
        planned: (who) => `${who} would be shown again.`,
        done: (who) => `${who} is shown again.`,
        nothing: (who) => `${who} is not hidden.`,
        note: BACK_ON_THE_LIST,
      }),
    )
    .addCommand(mergeCommand())
    .addCommand(
      changeCommand("unmerge", {
        description: "undo a merge: the record stands for itself again",
        asked: (who) => `Undo the merge of ${who}?`,
        planned: (who) => `${who} would stand for itself again, and its wallets lead to it.`,
        done: (who) => `${who} stands for itself again.`,
        nothing: (who) => `${who} was not merged.`,
        note: BACK_ON_THE_LIST,
      }),
    )
    .addCommand(eraseCommand());
