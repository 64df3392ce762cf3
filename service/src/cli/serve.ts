import { Command } from "commander";
import { configured } from "./connect.ts";
import { STDOUT, say } from "./output.ts";

export const serveCommand = (): Command =>
  new Command("serve")
    .description("answer V1 from the database")
    .addHelpText(
      "after",
      `
Listens on HOST:PORT for callers and on HOST:PRIVATE_PORT for operators (/metrics, /health). Logs are JSON lines on stdout.
SIGTERM: readiness goes first, then, after DRAIN_DELAY, the ports close; every request that has arrived is answered.

Example:
  $ DATABASE_URL=postgres://credence_serve@localhost/credence credence serve`,
    )
    .action(async () => {
      const config = configured();
      const { runServer } = await import("./run-server.ts");
      await runServer(config, STDOUT, ({ address }) => {
        if (process.stderr.isTTY) say(`Serving on ${address}. API reference: ${address}/docs. Stop with Ctrl-C.`);
      });
    });
