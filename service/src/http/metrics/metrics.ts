import { Counter, collectDefaultMetrics, Gauge, Registry } from "@prometheus-io/client";
import type { AnswerCache } from "#http/cache/answer-cache.ts";
import type { Readers } from "#store/readers.ts";
import { countRequests, type ObserveRequest } from "./request-counts.ts";

export type Metrics = {
  registry: Registry;
  observeRequest: ObserveRequest;
  countUnknownKey: () => void;
  countKeyInUrl: () => void;
};

/** Metrics of one process. Labels are bounded: routes and status codes, never people, addresses or keys. */
export function createMetrics(readers: Readers, cache: AnswerCache): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const observeRequest = countRequests(registry);
  const unknownKeys = new Counter({
    name: "credence_unknown_keys_total",
    help: "Requests with a key that nobody here has heard of, let through in open mode.",
    registers,
  });
  const keysInUrls = new Counter({
    name: "credence_keys_in_urls_total",
    help: "Requests with something like a key in their address, where it does not belong.",
    registers,
  });
  observePools(readers, registers);
  observeCache(cache, registers);
  return {
    registry,
    observeRequest,
    countUnknownKey: () => unknownKeys.inc(),
    countKeyInUrl: () => keysInUrls.inc(),
  };
}

function observePools(readers: Readers, registers: Registry[]): void {
  new Gauge({
    name: "credence_database_connections",
    help: "Connections that are read by, by pool and state.",
    labelNames: ["pool", "state"],
    registers,
    collect() {
      for (const [pool, database] of Object.entries(readers.current().pools)) {
        this.set({ pool, state: "open" }, database.totalCount);
        this.set({ pool, state: "idle" }, database.idleCount);
        this.set({ pool, state: "awaited" }, database.waitingCount);
      }
    },
  });
}

function observeCache(cache: AnswerCache, registers: Registry[]): void {
  new Counter({
    name: "credence_cache_requests_total",
    help: "Answers looked for in the cache, by whether they were there.",
    labelNames: ["result"],
    registers,
    collect() {
      const { hits, misses } = cache.counts();
      this.reset();
      this.inc({ result: "hit" }, hits);
      this.inc({ result: "miss" }, misses);
    },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge("credence_cache_bytes", "What the cached answers take, about.", () => cache.counts().bytes);
  gauge("credence_cache_entries", "How many answers are cached.", () => cache.counts().entries);
}
