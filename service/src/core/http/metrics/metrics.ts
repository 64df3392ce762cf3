import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "@prometheus-io/client";
import type { ConnectionCounts } from "#core/http/connections/connection-limits.ts";
import type { RateLimits } from "#core/http/limits/rate-limits.ts";
import type { QueueState } from "#core/readers/bounded-pool.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import { onScrape } from "./on-scrape.ts";
import { countRequests, type ObserveRequest } from "./request-counts.ts";

export type Metrics = {
  registry: Registry;
  observeRequest: ObserveRequest;
};

let processMetrics: Registry | null = null;

/** Memory, CPU and event loop. Their timers never end, so a process has them once, whatever the number of servers. */
function addProcessMetrics(registry: Registry): void {
  if (processMetrics === null) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  for (const { name } of processMetrics.getMetricsAsArray())
    registry.registerMetric(processMetrics.getSingleMetric(name) as Metric);
}

/** No label contains people, addresses or keys. */
export function createMetrics(
  readers: Readers,
  queues: () => QueueState[],
  connections: ConnectionCounts,
  limits: RateLimits,
  hasNotices: () => boolean,
): Metrics {
  const registry = new Registry();
  addProcessMetrics(registry);
  const observeRequest = countRequests(registry);
  observePools(readers, registry);
  observeQueues(queues, registry);
  observeConnections(connections, registry);
  observeLimits(limits, registry);
  onScrape(registry).gauge(
    "credence_notices_connected",
    "1 while change notices arrive. Otherwise cached answers may be out of date by up to CACHE_MAX_AGE.",
    () => Number(hasNotices()),
  );
  return { registry, observeRequest };
}

function observePools(readers: Readers, registry: Registry): void {
  new Gauge({
    name: "credence_database_connections",
    help: "PostgreSQL connections, by pool and state.",
    labelNames: ["pool", "state"],
    registers: [registry],
    collect() {
      for (const [pool, database] of Object.entries(readers.current().pools)) {
        this.set({ pool, state: "open" }, database.totalCount);
        this.set({ pool, state: "idle" }, database.idleCount);
        this.set({ pool, state: "awaited" }, database.waitingCount);
      }
    },
  });
}

/** docs/RELIABILITY.md lists the queues and their limits. */
function observeQueues(queues: () => QueueState[], registry: Registry): void {
  new Gauge({
    name: "credence_queue_depth",
    help: "Requests waiting for the database or for the check of a signature, by queue.",
    labelNames: ["queue"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { queue, depth } of queues()) this.inc({ queue }, depth);
    },
  });
  new Gauge({
    name: "credence_queue_limit",
    help: "The depth at which a queue is full and rejects requests, by queue.",
    labelNames: ["queue"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { queue, limit } of queues()) this.inc({ queue }, limit);
    },
  });
  new Counter({
    name: "credence_queue_rejected_total",
    help: "Requests rejected because the queue was full, by queue.",
    labelNames: ["queue"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { queue, rejected } of queues()) this.inc({ queue }, rejected);
    },
  });
}

function observeConnections(counts: ConnectionCounts, registry: Registry): void {
  const { gauge, counter } = onScrape(registry);
  gauge("credence_http_connections", "Open connections on the public port.", () => counts.open);
  counter(
    "credence_http_connections_refused_total",
    "Connections closed at once because of MAX_CONNECTIONS or MAX_CONNECTIONS_PER_ADDRESS.",
    () => counts.refused,
  );
}

function observeLimits(limits: RateLimits, registry: Registry): void {
  const { gauge, counter } = onScrape(registry);
  counter("credence_rate_limited_total", "Requests refused with 429.", limits.countRefused);
  gauge("credence_rate_limit_buckets", "Clients whose spending is in memory.", limits.countBuckets);
}
