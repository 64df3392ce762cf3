import { Counter, collectDefaultMetrics, Gauge, Registry } from "@prometheus-io/client";
import type { AnswerCache } from "#http/cache/answer-cache.ts";
import type { ConnectionCounts } from "#http/connections/connection-limits.ts";
import type { Readers } from "#store/serving/readers.ts";
import { countRequests, type ObserveRequest } from "./request-counts.ts";

export type Metrics = {
  registry: Registry;
  observeRequest: ObserveRequest;
  countUnknownKey: () => void;
  countKeyInUrl: () => void;
};

/** Metrics of one process. Labels are bounded: routes and status codes, never people, addresses or keys. */
export function createMetrics(readers: Readers, cache: AnswerCache, connections: ConnectionCounts): Metrics {
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
  observeQueues(readers, registers);
  observeConnections(connections, registers);
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
    help: "PostgreSQL connections, by pool and state.",
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

/** Every queue of this process has a bound: see ARCHITECTURE.md. */
function observeQueues(readers: Readers, registers: Registry[]): void {
  new Gauge({
    name: "credence_queue_depth",
    help: "Requests that wait for the database, by queue.",
    labelNames: ["queue"],
    registers,
    collect() {
      this.reset();
      for (const { queue, depth } of readers.queues()) this.inc({ queue }, depth);
    },
  });
  new Counter({
    name: "credence_queue_rejected_total",
    help: "Requests that were refused because a queue was full, by queue.",
    labelNames: ["queue"],
    registers,
    collect() {
      this.reset();
      for (const { queue, rejected } of readers.queues()) this.inc({ queue }, rejected);
    },
  });
}

function observeConnections(counts: ConnectionCounts, registers: Registry[]): void {
  new Gauge({
    name: "credence_http_connections",
    help: "Open connections on the public port.",
    registers,
    collect() {
      this.set(counts.open);
    },
  });
  new Gauge({
    name: "credence_http_unread_bytes",
    help: "What clients have not read yet of their responses.",
    registers,
    collect() {
      this.set(counts.unreadBytes);
    },
  });
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  counter(
    "credence_http_connections_refused_total",
    "Connections closed at once because of MAX_CONNECTIONS or MAX_CONNECTIONS_PER_ADDRESS.",
    () => counts.refused,
  );
  counter(
    "credence_http_connections_unread_total",
    "Connections closed because too much of all responses lay unread.",
    () => counts.unread,
  );
  counter(
    "credence_http_requests_ignored_total",
    "Pipelined requests that were not processed because too many were outstanding.",
    () => counts.ignored,
  );
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
