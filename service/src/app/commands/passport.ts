import { Command } from "commander";
import type { Terminal } from "#core/terminal/terminal.ts";
import { decisionCommands } from "#decisions/commands/passport-decide.ts";
import { eraseCommand } from "#decisions/commands/passport-erase.ts";
import { showCommand } from "./passport-show.ts";

export function passportCommand(terminal: Terminal): Command {
  const command = new Command("passport")
    .description("show, change or erase single people")
    .addHelpText(
      "after",
      `
A person is named by passport id, or by a wallet that no other person lists. docs/PRIVACY.md describes hiding and erasing.

Examples:
  $ credence passport show 1
  $ credence passport hide 1 --yes`,
    )
    .addCommand(showCommand(terminal));
  for (const decision of [...decisionCommands(terminal), eraseCommand(terminal)]) command.addCommand(decision);
  return command;
}
