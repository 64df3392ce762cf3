import { run } from "#cli/program.ts";
import { processTerminal } from "#cli/terminal/terminal.ts";

await run(processTerminal());
// In a worker process of a cluster, the channel to the primary keeps the process alive.
if (process.connected) process.disconnect();
