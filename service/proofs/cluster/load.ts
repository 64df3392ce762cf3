import { setTimeout as delay } from "node:timers/promises";
import type { RunningProxy } from "#testing/proxy.ts";

/** A request that took longer is counted as slow. */
const SLOW_MS = 1_000;
const PAUSE_MS = 25;

export type Reads = { sent: number; failed: number; slow: number; slowest_ms: number; failures: string[] };

const nothingRead = (): Reads => ({ sent: 0, failed: 0, slow: 0, slowest_ms: 0, failures: [] });

/** Look-ups of both kinds, pages and searches. Most are look-ups, as in practice. */
export function pathAt(at: number, people: number): string {
  const id = 1 + (at % people);
  if (at % 10 === 0) return `/api/v1/passports?page=${1 + (id % 50)}`;
  if (at % 50 === 1) return `/api/v1/passports?keyword=${id}`;
  return at % 3 === 0 ? `/api/v1/passport_credentials?passport_id=${id}` : `/api/v1/passports/${id}`;
}

type Send = (at: number) => Promise<number>;

/** Reads people one after the other, with several clients, until stopped. Figures are those since the last `take`. */
export function startReads(clients: number, send: Send): { take: () => Reads; stop: () => Promise<void> } {
  let reads = nothingRead();
  let isStopped = false;
  let next = 0;
  const read = async () => {
    while (!isStopped) {
      const at = next++;
      const started = performance.now();
      const outcome = await send(at).catch((error: Error) => String(error.cause ?? error));
      const ms = performance.now() - started;
      reads.sent += 1;
      if (ms > SLOW_MS) reads.slow += 1;
      reads.slowest_ms = Math.max(reads.slowest_ms, Math.round(ms));
      if (outcome !== 200) {
        reads.failed += 1;
        if (reads.failures.length < 5) reads.failures.push(String(outcome));
      }
      await delay(PAUSE_MS);
    }
  };
  const reading = Promise.all(Array.from({ length: clients }, read));
  return {
    take: () => {
      const taken = reads;
      reads = nothingRead();
      return taken;
    },
    stop: async () => {
      isStopped = true;
      await reading;
    },
  };
}

/** Through nginx. Half of the requests have a key: nginx has no copies for them. */
export const throughProxy =
  (proxy: RunningProxy, people: number): Send =>
  async (at) => {
    const headers: Record<string, string> = at % 2 === 0 ? {} : { "x-api-key": `key of client ${at % 32}` };
    const localAddress = `127.0.0.${2 + (at % 32)}`;
    return (await proxy.send(pathAt(at, people), { headers, localAddress })).status;
  };

export const directly =
  (addresses: readonly string[], people: number): Send =>
  async (at) => {
    const response = await fetch(addresses[at % addresses.length] + pathAt(at, people));
    await response.arrayBuffer();
    return response.status;
  };
