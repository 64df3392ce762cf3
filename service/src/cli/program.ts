import { Command, CommanderError } from "commander";
import { processEnvironment } from "#config.ts";
import { printable } from "#identity/unprintable.ts";
import { VERSION } from "#version.ts";
import { EXIT, EXIT_CODES_HELP } from "./terminal/exit-codes.ts";
import { explain } from "./terminal/failure.ts";
import { paint, say } from "./terminal/output.ts";

/** All commands, in the order in which a new operator meets them. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ["demo", async () => (await import("./commands/demo.ts")).demoCommand()],
  ["migrate", async () => (await import("./commands/migrate.ts")).migrateCommand()],
  ["serve", async () => (await import("./commands/serve.ts")).serveCommand()],
  ["generate", async () => (await import("./commands/generate.ts")).generateCommand()],
  ["import", async () => (await import("./commands/import.ts")).importCommand()],
  ["export", async () => (await import("./commands/export.ts")).exportCommand()],
  ["passport", async () => (await import("./commands/passport.ts")).passportCommand()],
  ["work", async () => (await import("./commands/work.ts")).workCommand()],
  ["standing", async () => (await import("./commands/standing.ts")).standingCommand()],
  ["documents", async () => (await import("./commands/documents.ts")).documentsCommand()],
  ["keys", async () => (await import("./commands/keys.ts")).keysCommand()],
  ["audit", async () => (await import("./commands/audit.ts")).auditCommand()],
  ["doctor", async () => (await import("./commands/doctor.ts")).doctorCommand()],
]);

/** The program with all its commands, or with the one that is meant, which starts sooner without the others' code. */
export async function buildProgram(meant = ""): Promise<Command> {
  const program = new Command("credence")
    .description("Answers the deprecated V1 Passport and Credentials API from a PostgreSQL database.")
    .version(VERSION, "-v, --version")
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
    );
  const only = COMMANDS.get(meant);
  for (const load of only === undefined ? COMMANDS.values() : [only]) program.addCommand(await load());
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
    await (await buildProgram(argv[2])).parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
      return;
    }
    const failure = explain(error);
    // A message may quote data: the name of a field, or what PostgreSQL has against a value.
    const message = failure.message.split("\n").map(printable).join("\n");
    say(`${paint("red", "error")}: ${message}\n${failure.advice}`);
    const { LOG_LEVEL } = processEnvironment();
    if (LOG_LEVEL === "debug" || LOG_LEVEL === "trace") say(String((failure.cause as Error | undefined)?.stack));
    process.exitCode = failure.exitCode;
  }
}
