import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { Database } from "#store/database.ts";
import { type Epoch, findCurrentEpoch } from "#store/standing.ts";

export type Metrics = {
  registry: Registry;
  observeRequest: (route: string, status: number, seconds: number) => void;
  countUnknownKey: () => void;
  countKeyInUrl: () => void;
};

/** Metrics of one process. Labels are bounded: routes and status codes, never people, addresses or keys. */
export function createMetrics(database: Database): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: "credence_http_requests_total",
    help: "Requests answered, by route and status.",
    labelNames: ["route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "credence_http_request_duration_seconds",
    help: "Time from a request's headers to the end of its answer, by route.",
    labelNames: ["route"],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
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
  observeDatabase(database, registers);

  return {
    registry,
    observeRequest: (route, status, seconds) => {
      requests.inc({ route, status });
      durations.observe({ route }, seconds);
    },
    countUnknownKey: () => unknownKeys.inc(),
    countKeyInUrl: () => keysInUrls.inc(),
  };
}

/** Gauges that are asked for when they are scraped. */
function observeDatabase(database: Database, registers: Registry[]): void {
  new Gauge({
    name: "credence_database_connections",
    help: "Connections of this process, by state.",
    labelNames: ["state"],
    registers,
    collect() {
      this.set({ state: "open" }, database.totalCount);
      this.set({ state: "idle" }, database.idleCount);
      this.set({ state: "awaited" }, database.waitingCount);
    },
  });
  const epochGauge = (name: string, help: string, read: (epoch: Epoch) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // No number at all is the honest one while the database does not answer.
        this.set(await findCurrentEpoch(database).then(read, () => Number.NaN));
      },
    });
  epochGauge("credence_standing_people", "People in the current standing.", (epoch) => epoch.total);
  epochGauge(
    "credence_standing_built_timestamp_seconds",
    "When the current standing was built.",
    (epoch) => epoch.built_at.getTime() / 1000,
  );
}
