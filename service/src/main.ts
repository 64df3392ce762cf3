import { run } from "./cli.ts";
import { processTerminal } from "./core/terminal/terminal.ts";

/** How long what was begun may go on after the command. */
const EXIT_AFTER_MS = 1_000;

await run(processTerminal());
// The look-up of a host name cannot be cancelled. With a name server that does not answer, a stopped
// server went on for 86 seconds, until its last look-up; now it waits for those that have begun.
setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
