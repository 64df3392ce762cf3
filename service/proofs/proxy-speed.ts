import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { startProxy } from "#testing/proxy.ts";
import { readCpuMs } from "./abuse/watched-server.ts";
import { runCredence, startServer, withProofDatabase, withProofFolder } from "./harness.ts";

const PEOPLE = 100;
const PATH = "/api/v1/passports/1";
const CONNECTIONS = 32;

/**
 * Requests per second and CPU per request, for the same look-up: from the cache of nginx over TLS,
 * from one node, and the limit: a fixed string of the same size from the same framework.
 */
export function proveProxySpeed(seconds: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url }) => {
      const snapshot = join(folder, "snapshot");
      await runCredence(["generate", "--people", String(PEOPLE), "--out", snapshot]);
      await runCredence(["import", snapshot], { DATABASE_URL: url });
      const node = await startServer(url);
      const { length } = await (await fetch(node.address + PATH)).text();
      const limit = await startLimitServer(length);
      const proxy = await startProxy(join(folder, "proxy"), [node.address], { isUnlimited: true });
      await proxy.send(PATH);
      try {
        const nodeId = node.process.pid as number;
        return {
          bytes: length,
          connections: CONNECTIONS,
          nginx_cache: await measure(`https://127.0.0.1:${proxy.port}${PATH}`, proxy.workerIds(), seconds),
          node: await measure(node.address + PATH, [nodeId], seconds),
          limit: await measure(`${limit.address}/${length}`, [limit.processId], seconds),
        };
      } finally {
        await proxy.stop();
        await limit.stop();
        await node.stop();
      }
    }),
  );
}

const LIMIT_SERVER = join(import.meta.dirname, "../../bench/src/limit-server.ts");

async function startLimitServer(bytes: number) {
  const child = spawn(process.execPath, [LIMIT_SERVER, String(bytes)], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const stop = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { address: JSON.parse(String(line)).address as string, processId: child.pid as number, stop };
}

async function measure(url: string, processIds: readonly number[], seconds: number) {
  const readAllMs = () => processIds.reduce((total, id) => total + readCpuMs(id), 0);
  const before = readAllMs();
  const { stdout } = await promisify(execFile)("wrk", ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, url]);
  const cpuMs = readAllMs() - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  if (/Non-2xx|Socket errors/.test(stdout) || !(requests > 0)) throw new Error(stdout);
  return {
    requests_per_second: Math.round(requests / seconds),
    cpu_us_per_request: Math.round((cpuMs / requests) * 1e4) / 10,
  };
}
