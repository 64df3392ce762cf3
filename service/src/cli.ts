import { Command, CommanderError } from "commander";
import { VERSION } from "./core/config/version.ts";
import { EXIT, EXIT_CODES_HELP } from "./core/terminal/exit-codes.ts";
import { explain } from "./core/terminal/failure.ts";
import { paint, printMessage } from "./core/terminal/output.ts";
import type { OutputStream, Terminal } from "./core/terminal/terminal.ts";
import { printable } from "./core/terminal/unprintable.ts";
import { wrapProse, wrapWords } from "./core/terminal/wrap-prose.ts";

const HELP_HINT = "Add --help for usage.";
/** The width of help that is not printed on a terminal. */
const DEFAULT_COLUMNS = 80;
/** Longer lines are hard to read. */
const MAX_COLUMNS = 100;

type Load = (terminal: Terminal) => Promise<Command>;

/** All commands by group, in the order in which a new operator needs them. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  "Start:": {
    demo: async (terminal) => (await import("./app/commands/demo.ts")).demoCommand(terminal),
    migrate: async (terminal) => (await import("./app/commands/migrate.ts")).migrateCommand(terminal),
    serve: async (terminal) => (await import("./app/commands/serve.ts")).serveCommand(terminal),
    work: async (terminal) => (await import("./app/commands/work.ts")).workCommand(terminal),
  },
  "Data:": {
    generate: async (terminal) => (await import("./demo/commands/generate.ts")).generateCommand(terminal),
    collect: async (terminal) => (await import("./collect/commands/collect.ts")).collectCommand(terminal),
    import: async (terminal) => (await import("./snapshots/commands/import.ts")).importCommand(terminal),
    export: async (terminal) => (await import("./snapshots/commands/export.ts")).exportCommand(terminal),
    standing: async (terminal) => (await import("./list/commands/standing.ts")).standingCommand(terminal),
    documents: async (terminal) => (await import("./people/commands/documents.ts")).documentsCommand(terminal),
  },
  "People:": {
    passport: async (terminal) => (await import("./app/commands/passport.ts")).passportCommand(terminal),
    requests: async (terminal) => (await import("./holders/commands/requests.ts")).requestsCommand(terminal),
    decisions: async (terminal) => (await import("./decisions/commands/decisions.ts")).decisionsCommand(terminal),
  },
  "Operate:": {
    status: async (terminal) => (await import("./doctor/commands/status.ts")).statusCommand(terminal),
    doctor: async (terminal) => (await import("./doctor/commands/doctor.ts")).doctorCommand(terminal),
    keys: async (terminal) => (await import("./keys/commands/keys.ts")).keysCommand(terminal),
    usage: async (terminal) => (await import("./usage/commands/usage.ts")).usageCommand(terminal),
    lifecycle: async (terminal) => (await import("./life-cycle/commands/life-cycle.ts")).lifecycleCommand(terminal),
    health: async (terminal) => (await import("./doctor/commands/health.ts")).healthCommand(terminal),
  },
};

const COMMANDS = new Map(Object.values(GROUPS).flatMap((commands) => Object.entries(commands)));
const groupOf = (name: string): string => Object.keys(GROUPS).find((group) => name in (GROUPS[group] ?? {})) ?? "";

/** The commands to load for the first argument. Help and a mistyped command need all of them. */
function commandsFor(name: string) {
  if (name === "-v" || name === "--version") return [];
  const command = COMMANDS.get(name);
  return command === undefined ? COMMANDS.values() : [command];
}

/** Builds the program with the commands that the first argument needs: to load all takes a second. */
export async function buildProgram(terminal: Terminal, name = ""): Promise<Command> {
  const program = new Command("credence")
    .description("Serves the deprecated V1 Passport and Credentials API from a PostgreSQL database.")
    .version(VERSION, "-v, --version")
    // Of `help`, which commander adds.
    .commandsGroup("Operate:")
    .helpCommand(true)
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

Settings come from the environment; docs/reference/settings.md lists them.`,
    );
  for (const load of commandsFor(name)) {
    const command = await load(terminal);
    program.addCommand(command.helpGroup(groupOf(command.name())));
  }
  return connect(program, terminal);
}

/** Throws instead of exiting, and prints to the terminal. Subcommands do not inherit these settings. */
function connect(command: Command, terminal: Terminal): Command {
  for (const child of command.commands) connect(child, terminal);
  return command
    .exitOverride()
    .showHelpAfterError(HELP_HINT)
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(wrapProse(text, columnsOf(terminal.stdout))),
      writeErr: (text) => void terminal.stderr.write(wrapLines(text, terminal.stderr)),
      getOutHelpWidth: () => columnsOf(terminal.stdout),
      getErrHelpWidth: () => columnsOf(terminal.stderr),
    });
}

/**
 * The arguments, or those up to a command that does not exist: commander prints the help of its group
 * for `credence nonsense --help`, and reports success.
 */
function upToUnknownCommand(program: Command, args: readonly string[]): readonly string[] {
  const isHelp = args[0] === "help";
  const first = isHelp ? 1 : 0;
  let command = program;
  for (let index = first; command.commands.length > 0; index += 1) {
    const name = args[index];
    if (name === undefined || name.startsWith("-")) break;
    const child = command.commands.find((known) => known.name() === name);
    // A command with subcommands may have an argument of its own.
    if (child === undefined && command.registeredArguments.length > 0) return args;
    if (child === undefined) return name === "help" && !isHelp ? args : args.slice(first, index + 1);
    command = child;
  }
  return args;
}

const columnsOf = ({ columns = DEFAULT_COLUMNS }: OutputStream): number => Math.min(columns, MAX_COLUMNS);

/** Breaks the lines of a text at the width of a terminal. A file or a pipe gets them as they are. */
const wrapLines = (text: string, { isTTY, columns }: OutputStream): string =>
  isTTY && columns
    ? text
        .split("\n")
        .flatMap((line) => wrapWords(line, columns))
        .join("\n")
    : text;

/** Runs a command line. Sets the exit code instead of exiting, so that output is flushed. */
export async function run(terminal: Terminal): Promise<void> {
  const printError = (text: string) => {
    const prefix = paint("red", "error", terminal.stderr);
    printMessage(terminal, wrapLines(`error: ${text}`, terminal.stderr).replace("error", prefix));
  };
  // A reader such as `head` may close the pipe early: that is not a failure.
  terminal.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return terminal.exit(EXIT.done);
    printError(`cannot write to standard output: ${error.message}`);
    terminal.exit(EXIT.failed);
  });
  try {
    const program = await buildProgram(terminal, terminal.args[0]);
    await program.parseAsync(upToUnknownCommand(program, terminal.args), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      terminal.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
      return;
    }
    const failure = explain(error);
    // A message may quote data: the name of a field, or a value that PostgreSQL refused.
    const message = failure.message.split("\n").map(printable).join("\n");
    printError(`${message}\n${failure.advice}`);
    const { LOG_LEVEL } = terminal.environment;
    if (LOG_LEVEL === "debug" || LOG_LEVEL === "trace")
      printMessage(terminal, String((failure.cause as Error | undefined)?.stack));
    terminal.exitCode = failure.exitCode;
  } finally {
    terminal.removeHandlers();
  }
}
