import { Command, CommanderError } from "commander";
import { processEnvironment } from "#config.ts";
import { printable } from "#identity/unprintable.ts";
import { VERSION } from "#version.ts";
import { EXIT, EXIT_CODES_HELP } from "./terminal/exit-codes.ts";
import { explain } from "./terminal/failure.ts";
import { paint, printMessage } from "./terminal/output.ts";

const HELP_HINT = "Add --help for usage.";

/** All commands, in the order in which a new operator needs them. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ["demo", async () => (await import("./commands/demo.ts")).demoCommand()],
  ["migrate", async () => (await import("./commands/migrate.ts")).migrateCommand()],
  ["serve", async () => (await import("./commands/serve.ts")).serveCommand()],
  ["generate", async () => (await import("./commands/generate.ts")).generateCommand()],
  ["collect", async () => (await import("./commands/collect.ts")).collectCommand()],
  ["import", async () => (await import("./commands/import.ts")).importCommand()],
  ["export", async () => (await import("./commands/export.ts")).exportCommand()],
  ["passport", async () => (await import("./commands/passport.ts")).passportCommand()],
  ["requests", async () => (await import("./commands/requests.ts")).requestsCommand()],
  ["work", async () => (await import("./commands/work.ts")).workCommand()],
  ["standing", async () => (await import("./commands/standing.ts")).standingCommand()],
  ["documents", async () => (await import("./commands/documents.ts")).documentsCommand()],
  ["keys", async () => (await import("./commands/keys.ts")).keysCommand()],
  ["lifecycle", async () => (await import("./commands/lifecycle.ts")).lifecycleCommand()],
  ["usage", async () => (await import("./commands/usage.ts")).usageCommand()],
  ["audit", async () => (await import("./commands/audit.ts")).auditCommand()],
  ["health", async () => (await import("./commands/health.ts")).healthCommand()],
  ["doctor", async () => (await import("./commands/doctor.ts")).doctorCommand()],
]);

/** Builds the program with all commands, or with one, which starts faster. */
export async function buildProgram(name = ""): Promise<Command> {
  const program = new Command("credence")
    .description("Serves the deprecated V1 Passport and Credentials API from a PostgreSQL database.")
    .version(VERSION, "-v, --version")
    // Options after a subcommand belong to it, also if its parent has an option of the same name.
    .enablePositionalOptions()
    .addHelpText(
      "after",
      `
Examples:
  $ credence demo                 try it with invented people
  $ credence migrate && credence import ./snapshot && credence serve
  $ credence doctor               check the installation
${EXIT_CODES_HELP}

Settings come from the environment; docs/CONFIGURATION.md lists them.`,
    );
  const command = COMMANDS.get(name);
  for (const load of command === undefined ? COMMANDS.values() : [command]) program.addCommand(await load());
  return throwInsteadOfExiting(program);
}

/** Subcommands do not inherit these settings. */
function throwInsteadOfExiting(command: Command): Command {
  for (const child of command.commands) throwInsteadOfExiting(child);
  return command.exitOverride().showHelpAfterError(HELP_HINT);
}

/** Runs a command line. Sets process.exitCode instead of exiting, so that output is flushed. */
export async function run(argv: readonly string[]): Promise<void> {
  // A reader such as `head` may close the pipe early: that is not a failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.done);
    printMessage(`${paint("red", "error")}: cannot write to standard output: ${error.message}`);
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
    // A message may quote data: the name of a field, or a value that PostgreSQL refused.
    const message = failure.message.split("\n").map(printable).join("\n");
    printMessage(`${paint("red", "error")}: ${message}\n${failure.advice}`);
    const { LOG_LEVEL } = processEnvironment();
    if (LOG_LEVEL === "debug" || LOG_LEVEL === "trace")
      printMessage(String((failure.cause as Error | undefined)?.stack));
    process.exitCode = failure.exitCode;
  } finally {
    // In a worker process of a cluster, the channel to the primary keeps the process alive.
    if (process.connected) process.disconnect();
  }
}
