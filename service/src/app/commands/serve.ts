import { Command } from "commander";
import { requireConfig } from "#core/process/connect.ts";
import { STDOUT } from "#core/process/log.ts";
import { asVariables, type ListenOptions, parsePortOption, withListenOptions } from "#core/terminal/listen-options.ts";
import { printMessage } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";

export const serveCommand = (terminal: Terminal): Command =>
  withListenOptions(new Command("serve").description("serve V1 from the database"))
    .option("--private-port <number>", "the private port (default: PRIVATE_PORT, or 9090)", parsePortOption)
    .addHelpText(
      "after",
      `
Listens on HOST:PORT for clients and on PRIVATE_HOST:PRIVATE_PORT for operators (/metrics, /health). An option overrides
its variable. Logs are JSON lines on stdout.
SIGTERM: readiness fails at once; after DRAIN_DELAY the ports close. Every request that has arrived is answered.
A server is one process, which answers tens of thousands of requests per second. To use another core, run another
server and add it to the proxy: docs/reference/tuning.md#a-second-server.

Examples:
  $ DATABASE_URL=postgres://credence_serve@localhost/credence credence serve --port 8081`,
    )
    .action((options: ListenOptions) => serve(terminal, options));

async function serve(terminal: Terminal, listen: ListenOptions): Promise<void> {
  const config = requireConfig(terminal, asVariables(listen));
  const { runServer } = await import("#app/serve/run-server.ts");
  await runServer(config, STDOUT, ({ address }) => {
    if (terminal.stderr.isTTY)
      printMessage(terminal, `Serving on ${address}. API reference: ${address}/docs. Stop with Ctrl-C.`);
  });
}
