import { Command, CommanderError } from "commander";
import { processEnvironment } from "#config.ts";
import { VERSION } from "#version.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { documentsCommand } from "./documents.ts";
import { EXIT, EXIT_CODES_HELP } from "./exit-codes.ts";
import { exportCommand } from "./export.ts";
import { explain } from "./failure.ts";
import { generateCommand } from "./generate.ts";
import { importCommand } from "./import.ts";
import { keysCommand } from "./keys.ts";
import { migrateCommand } from "./migrate.ts";
import { paint, say } from "./output.ts";
import { passportCommand } from "./passport.ts";
import { serveCommand } from "./serve.ts";
import { standingCommand } from "./standing.ts";
import { workCommand } from "./work.ts";

/** All commands, in the order in which a new operator meets them. */
export function buildProgram(): Command {
  const program = new Command("credence")
    .description("Answers the deprecated V1 Passport and Credentials API from a PostgreSQL database.")
    .version(VERSION)
    .showHelpAfterError("Add --help to see how it is used.")
    .addHelpText(
      "after",
      `
Examples:
  $ credence demo                 try it with invented people
  $ credence migrate && credence import ./snapshot && credence serve
  $ credence doctor               see what is wrong, and what to do
${EXIT_CODES_HELP}

Settings come from the environment; docs/CONFIGURATION.md lists them.`,
    )
    .addCommand(demoCommand())
    .addCommand(migrateCommand())
    .addCommand(serveCommand())
    .addCommand(generateCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())
    .addCommand(passportCommand())
    .addCommand(workCommand())
    .addCommand(standingCommand())
    .addCommand(documentsCommand())
    .addCommand(keysCommand())
    .addCommand(doctorCommand());
  return throwInsteadOfExiting(program);
}

/** Sub-commands do not inherit it. */
function throwInsteadOfExiting(command: Command): Command {
  command.exitOverride();
  for (const child of command.commands)
    throwInsteadOfExiting(child.showHelpAfterError("Add --help to see how it is used."));
  return command;
}

/** Runs one command line. The exit code is left in process.exitCode, so that output is flushed before the end. */
export async function run(argv: readonly string[]): Promise<void> {
  // A reader such as `head` may leave early: that is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.done);
    say(`${paint("red", "error")}: standard output cannot be written: ${error.message}`);
    process.exit(EXIT.failed);
  });
  try {
    await buildProgram().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
      return;
    }
    const failure = explain(error);
    say(`${paint("red", "error")}: ${failure.message}\n${failure.advice}`);
    const { LOG_LEVEL } = processEnvironment();
    if (LOG_LEVEL === "debug" || LOG_LEVEL === "trace") say(String((failure.cause as Error | undefined)?.stack));
    process.exitCode = failure.exitCode;
  }
}
