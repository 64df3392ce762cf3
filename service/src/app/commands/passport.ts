import { Command } from "commander";
import type { Terminal } from "#core/terminal/terminal.ts";
import { changeCommand } from "#privacy/commands/passport-change.ts";
import { eraseCommand } from "#privacy/commands/passport-erase.ts";
import { showCommand } from "./passport-show.ts";

export const passportCommand = (terminal: Terminal): Command =>
  new Command("passport")
    .description("show, change or erase single people")
    .addHelpText(
      "after",
      `
A person is named by passport id, or by a wallet that no other person lists. docs/PRIVACY.md describes hiding and erasing.

Examples:
  $ credence passport show 1
  $ credence passport hide 1 --yes`,
    )
    .addCommand(showCommand(terminal))
    .addCommand(
      changeCommand(terminal, "hide", {
        description: "exclude a person from look-ups, list and search; their data stays stored",
        question: (name) => `Hide ${name}?`,
        planned: "would be hidden from look-ups, list and search.",
        done: "is hidden.",
        unchanged: "is already hidden.",
        note: "Shared caches may serve an answer for two more minutes, or for an hour if this server is unreachable.",
      }),
    )
    .addCommand(
      changeCommand(terminal, "unhide", {
        description: "undo hide",
        question: (name) => `Unhide ${name}?`,
        planned: "would no longer be hidden.",
        done: "is no longer hidden.",
        unchanged: "is not hidden.",
        note: "The person is listed again after the next build of the list, by `credence standing refresh` or `credence work`.",
      }),
    )
    .addCommand(eraseCommand(terminal));
