import { type Environment, processEnvironment } from "#core/config/config.ts";

export type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** What a command uses of its process. A test passes its own, and runs the command in its process. */
export type Terminal = {
  /** The file of the program, to start it again in a child process. */
  readonly program: string;
  /** The arguments of the program, without its name. */
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** For results, so that they can be piped. */
  readonly stdout: OutputStream;
  /** For messages and progress. */
  readonly stderr: OutputStream;
  exitCode: number;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Calls the handler on Ctrl-C, until the command has ended. */
  readonly onInterrupt: (handler: () => void) => void;
  /** Removes all handlers of interrupts. */
  readonly removeHandlers: () => void;
};

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const handlers: (() => void)[] = [];
  return {
    program: process.argv[1] ?? "",
    args: process.argv.slice(2),
    environment: processEnvironment(),
    // Getters, because reading `process.stdin` opens it.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    get exitCode() {
      return Number(process.exitCode ?? 0);
    },
    set exitCode(code) {
      process.exitCode = code;
    },
    exit: (code) => process.exit(code),
    onInterrupt(handler) {
      handlers.push(handler);
      process.once("SIGINT", handler);
    },
    removeHandlers() {
      for (const handler of handlers) process.removeListener("SIGINT", handler);
    },
  };
}
