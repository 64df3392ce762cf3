import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { Database } from "#store/database.ts";
import { findBegunAt } from "#store/recalculation-of-all.ts";
import { countDue, countSetAside, findOldestDue } from "#store/recalculations.ts";
import { findCurrentEpoch } from "#store/standing.ts";

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
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // No number at all is the honest one while the database does not answer.
        this.set(await read().catch(() => Number.NaN));
      },
    });
  const secondsSince = (moment: Date): number => Math.max(0, (Date.now() - moment.getTime()) / 1000);
  gauge("credence_recalculation_due", "People whose scores are to be worked out anew.", () => countDue(database));
  gauge(
    "credence_recalculation_oldest_due_seconds",
    "How long the one who has waited longest has been due; 0 when nobody is.",
    async () => secondsSince((await findOldestDue(database)) ?? new Date()),
  );
  gauge(
    "credence_recalculation_of_all_seconds",
    "How long everyone has been under recalculation, a few thousand of them due at a time; 0 when that is not so.",
    async () => secondsSince((await findBegunAt(database)) ?? new Date()),
  );
  gauge("credence_recalculation_set_aside", "People whose scores could not be worked out.", () =>
    countSetAside(database),
  );
  gauge(
    "credence_standing_people",
    "People in the current standing.",
    async () => (await findCurrentEpoch(database)).total,
  );
  gauge("credence_standing_age_seconds", "How old the current standing is.", async () =>
    secondsSince((await findCurrentEpoch(database)).built_at),
  );
  gauge(
    "credence_standing_built_timestamp_seconds",
    "When the current standing was built.",
    async () => (await findCurrentEpoch(database)).built_at.getTime() / 1000,
  );
}
