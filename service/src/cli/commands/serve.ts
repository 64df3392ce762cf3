import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import { Command, InvalidArgumentError } from "commander";
import { STDOUT, say } from "#cli/terminal/output.ts";
import { configured } from "#process/connect.ts";
import { asVariables, type ListenOptions, listening, portFlag } from "./listen-options.ts";

type Options = ListenOptions & { privatePort?: string; workers: number };

export const serveCommand = (): Command =>
  listening(new Command("serve").description("answer V1 from the database"))
    .option("--private-port <number>", "the operators' port (default: PRIVATE_PORT, or 9090)", portFlag)
    .option("--workers <number>", "how many processes answer, or auto: one for each core", parseWorkers, 1)
    .addHelpText(
      "after",
      `
Listens on HOST:PORT for callers and on PRIVATE_HOST:PRIVATE_PORT for operators (/metrics, /health). A flag overrides
its variable. Logs are JSON lines on stdout.
SIGTERM: readiness goes first, then, after DRAIN_DELAY, the ports close; every request that has arrived is answered.
One process answers tens of thousands of requests a second. Several share the port, the cache's size and one /metrics.

Examples:
  $ DATABASE_URL=postgres://credence_serve@localhost/credence credence serve --port 8081
  $ DATABASE_URL=postgres://credence_serve@localhost/credence credence serve --workers auto`,
    )
    .action(serve);

async function serve({ workers, privatePort, ...flags }: Options): Promise<void> {
  // The processes of a cluster are started with the same command line, so the flags hold in each of them.
  const config = configured({ ...asVariables(flags), ...(privatePort !== undefined && { PRIVATE_PORT: privatePort }) });
  const greet = ({ address }: { address: string }) => {
    if (process.stderr.isTTY) say(`Serving on ${address}. API reference: ${address}/docs. Stop with Ctrl-C.`);
  };
  if (workers === 1) {
    const { runServer } = await import("#process/run-server.ts");
    await runServer(config, STDOUT, greet);
  } else if (cluster.isPrimary) {
    const { runCluster } = await import("#process/run-cluster.ts");
    await runCluster(config, workers, STDOUT, greet);
  } else {
    const { runClusterWorker } = await import("#process/run-cluster-process.ts");
    await runClusterWorker(config, workers, STDOUT);
  }
}

function parseWorkers(text: string): number {
  if (text === "auto") return availableParallelism();
  const workers = /^\d+$/.test(text) ? Number(text) : 0;
  if (workers < 1 || workers > 256) throw new InvalidArgumentError("Give a number from 1 to 256, or auto.");
  return workers;
}
