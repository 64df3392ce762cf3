import { fileURLToPath } from "node:url";
import { OTHER_CORES, run } from "./processes.ts";

/** Which paths to ask for: one with {n} for a number up to `most`, or lines of a file. */
export type Target = { path: string; most: number } | { file: string };

export type Load = { address: string; target: Target; header?: string; connections: number; seconds: number };

/** `refused` had a status of 400 or above, `broken` lost its connection. Latencies are in milliseconds. */
export type Loaded = {
  requests: number;
  perSecond: number;
  refused: number;
  broken: number;
  p50: number;
  p99: number;
  max: number;
};

const SCRIPT = fileURLToPath(new URL("requests.lua", import.meta.url));

/** Asks as fast as answers come, over so many connections, from the cores that are not measured. */
export async function load({ address, target, header, connections, seconds }: Load): Promise<Loaded> {
  const drawn = "file" in target ? [target.file, "0"] : [target.path, String(target.most)];
  const { stdout } = await run("taskset", [
    ...["-c", OTHER_CORES, "wrk", "-t", "1", "-c", String(connections), "-d", `${seconds}s`, "-s", SCRIPT, address],
    ...["--", ...drawn, header ?? ""],
  ]);
  const [, json = "{}"] = /^RESULT (.*)$/m.exec(stdout) ?? [];
  const { requests, microseconds, refused, broken, p50, p99, max } = JSON.parse(json);
  const perSecond = (requests * 1_000_000) / microseconds;
  return { requests, perSecond, refused, broken, p50: p50 / 1_000, p99: p99 / 1_000, max: max / 1_000 };
}
