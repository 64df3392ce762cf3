import assert from "node:assert/strict";
import { join } from "node:path";
import { findFreePorts } from "#testing/free-ports.ts";
import { type RunningProxy, startProxy } from "#testing/proxy.ts";
import { type ProofServer, runCredence, startServer, waitFor, withProofDatabase, withProofFolder } from "./harness.ts";

const PEOPLE = 500;
const CONCURRENT = 32;
const MIN_RESTARTS = 2;

/** Two nodes behind the proxy are restarted in turn under load. Every request gets its response. */
export function proveRollingRestart(requests: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url }) => {
      const snapshot = join(folder, "snapshot");
      await runCredence(["generate", "--people", String(PEOPLE), "--out", snapshot]);
      await runCredence(["import", snapshot], { DATABASE_URL: url });
      // With any key, the proxy passes the request to a node instead of reading its cache.
      const start = (port: string) => startServer(url, { AUTH_MODE: "open", PORT: port, DRAIN_DELAY: "500ms" });
      // While a node restarts, the system must not use its port for a connection.
      const ports = await findFreePorts(2);
      const nodes = await Promise.all(ports.map((port) => start(String(port))));
      const proxy = await startProxy(
        join(folder, "proxy"),
        nodes.map(({ address }) => address),
      );
      try {
        const load = startLoad(proxy, requests);
        let restarts = 0;
        while (restarts < MIN_RESTARTS || !load.isOver()) {
          const at = restarts % nodes.length;
          const { port } = new URL((nodes[at] as ProofServer).address);
          await nodes[at]?.stop();
          nodes[at] = await start(port);
          await waitFor(
            "the restarted node to be ready",
            async () => (await fetch(`${nodes[at]?.address}/health/ready`)).ok,
          );
          restarts += 1;
        }
        load.stop();
        const { sent, failed } = await load.ended;
        assert.equal(failed.length, 0, `First failures: ${failed.slice(0, 5).join(", ")}`);
        return { requests: sent, failed: failed.length, restarts };
      } finally {
        await proxy.stop();
        await Promise.all(nodes.map((node) => node.stop()));
      }
    }),
  );
}

/** Sends at least `requests`, until `stop`. */
function startLoad(proxy: RunningProxy, requests: number) {
  let sent = 0;
  let isStopped = false;
  const failed: string[] = [];
  const client = async () => {
    while (!isStopped) {
      const at = sent;
      sent += 1;
      const path =
        at % 2 === 0 ? `/api/v1/passports?page=${1 + (at % 20)}` : "/api/v1/passport_credentials?passport_id=1";
      await proxy.send(path, { headers: { "x-api-key": `client-${at % 100}` } }).then(
        ({ status }) => status === 200 || failed.push(`${path}: ${status}`),
        (error) => failed.push(`${path}: ${error}`),
      );
    }
  };
  const ended = Promise.all(Array.from({ length: CONCURRENT }, client)).then(() => ({ sent, failed }));
  return {
    isOver: () => sent >= requests,
    stop: () => {
      isStopped = true;
    },
    ended,
  };
}
