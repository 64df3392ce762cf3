import { fileURLToPath } from "node:url";
import { OTHER_CORES, run } from "./processes.ts";

/** A path with {n} for a random number up to `maxN`, or a file with a path on each line. */
export type Target = { path: string; maxN: number } | { file: string };

export type Load = { address: string; target: Target; header?: string; connections: number; seconds: number };

/** `refused`: status 400 or above. `broken`: connection errors. Latencies are in milliseconds. */
export type LoadResult = {
  requests: number;
  perSecond: number;
  refused: number;
  broken: number;
  p50: number;
  p99: number;
  max: number;
};

const SCRIPT = fileURLToPath(new URL("requests.lua", import.meta.url));

/** Runs wrk on the cores that are not measured. Each connection sends requests without pause. */
export async function load({ address, target, header = "", connections, seconds }: Load): Promise<LoadResult> {
  const [paths, maxN] = "file" in target ? [target.file, 0] : [target.path, target.maxN];
  const { stdout } = await run("taskset", [
    ...["-c", OTHER_CORES, "wrk", "-t", "1", "-c", String(connections), "-d", `${seconds}s`, "-s", SCRIPT, address],
    ...["--", paths, String(maxN), header],
  ]);
  const [, json = "{}"] = /^RESULT (.*)$/m.exec(stdout) ?? [];
  const { requests, microseconds, refused, broken, p50, p99, max } = JSON.parse(json);
  const perSecond = (requests * 1_000_000) / microseconds;
  return { requests, perSecond, refused, broken, p50: p50 / 1_000, p99: p99 / 1_000, max: max / 1_000 };
}
