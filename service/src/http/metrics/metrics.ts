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

/** Metrics of one process. Labels have few values: routes and status codes, never people, addresses or keys. */
export function createMetrics(readers: Readers, cache: AnswerCache, connections: ConnectionCounts): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const observeRequest = countRequests(registry);
  const unknownKeys = new Counter({
    name: "credence_unknown_keys_total",
    help: "Requests with an unknown API key, accepted in open mode.",
    registers,
  });
  const keysInUrls = new Counter({
    name: "credence_keys_in_urls_total",
    help: "Requests with an API key in the URL.",
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

/** ARCHITECTURE.md lists the queues and their limits. */
function observeQueues(readers: Readers, registers: Registry[]): void {
  new Gauge({
    name: "credence_queue_depth",
    help: "Requests waiting for the database, by queue.",
    labelNames: ["queue"],
    registers,
    collect() {
      this.reset();
      for (const { queue, depth } of readers.queues()) this.inc({ queue }, depth);
    },
  });
  new Counter({
    name: "credence_queue_rejected_total",
    help: "Requests rejected because the queue was full, by queue.",
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
    help: "Response bytes that clients have not read yet.",
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
    "Connections closed because the unread response bytes exceeded the limit.",
    () => counts.unread,
  );
  counter(
    "credence_http_requests_ignored_total",
    "Pipelined requests ignored because too many were outstanding on the connection.",
    () => counts.ignored,
  );
}

function observeCache(cache: AnswerCache, registers: Registry[]): void {
  new Counter({
    name: "credence_cache_requests_total",
    help: "Cache look-ups, by result.",
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
  gauge("credence_cache_bytes", "Approximate size of the cached answers.", () => cache.counts().bytes);
  gauge("credence_cache_entries", "Number of cached answers.", () => cache.counts().entries);
}
