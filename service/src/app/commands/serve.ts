import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import { Command, InvalidArgumentError } from "commander";
import { requireConfig } from "#core/process/connect.ts";
import { STDOUT } from "#core/process/log.ts";
import { asVariables, type ListenOptions, parsePortOption, withListenOptions } from "#core/terminal/listen-options.ts";
import { printMessage } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";

type Options = ListenOptions & { workers: number };

export const serveCommand = (terminal: Terminal): Command =>
  withListenOptions(new Command("serve").description("serve V1 from the database"))
    .option("--private-port <number>", "the private port (default: PRIVATE_PORT, or 9090)", parsePortOption)
    .option("--workers <number>", "number of processes, or auto for one per core", parseWorkers, 1)
    .addHelpText(
      "after",
      `
Listens on HOST:PORT for clients and on PRIVATE_HOST:PRIVATE_PORT for operators (/metrics, /health). An option overrides
its variable. Logs are JSON lines on stdout.
SIGTERM: readiness fails at once; after DRAIN_DELAY the ports close. Every request that has arrived is answered.
One process answers tens of thousands of requests per second. Several share the port, the cache size and one /metrics.

Examples:
  $ DATABASE_URL=postgres://credence_serve@localhost/credence credence serve --port 8081
  $ DATABASE_URL=postgres://credence_serve@localhost/credence credence serve --workers auto`,
    )
    .action((options: Options) => serve(terminal, options));

async function serve(terminal: Terminal, { workers, ...listen }: Options): Promise<void> {
  // Worker processes are started with the same command line, so the options apply to each of them.
  const config = requireConfig(terminal, asVariables(listen));
  const greet = ({ address }: { address: string }) => {
    if (terminal.stderr.isTTY)
      printMessage(terminal, `Serving on ${address}. API reference: ${address}/docs. Stop with Ctrl-C.`);
  };
  if (workers === 1) {
    const { runServer } = await import("#app/serve/run-server.ts");
    await runServer(config, STDOUT, greet);
  } else if (cluster.isPrimary) {
    const { runCluster } = await import("#app/serve/run-cluster.ts");
    await runCluster(config, workers, STDOUT, greet);
  } else {
    const { runClusterWorker } = await import("#app/serve/run-cluster-process.ts");
    await runClusterWorker(config, workers, STDOUT);
  }
}

function parseWorkers(text: string): number {
  if (text === "auto") return availableParallelism();
  const workers = /^\d+$/.test(text) ? Number(text) : 0;
  if (workers < 1 || workers > 256) throw new InvalidArgumentError("Expected a number from 1 to 256, or auto.");
  return workers;
}
