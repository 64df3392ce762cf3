import { Gauge, type Registry } from "@prometheus-io/client";
import type { Config } from "#core/config/config.ts";
import { VERSION } from "#core/config/version.ts";
import { findSchemaState } from "#core/database/migrations.ts";
import { findClockDifference } from "#core/database/server.ts";
import { onScrape, share } from "#core/http/metrics/on-scrape.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import { countExpiringKeys } from "#keys/api-keys.ts";
import { lifeCycle } from "#life-cycle/life-cycle.ts";
import { observeUsage } from "#usage/serve/usage-metrics.ts";
import type { UsageState } from "#usage/serve/write-usage.ts";

export type NodeState = {
  config: Config;
  readers: Readers;
  isReady: () => Promise<boolean>;
  usage: () => UsageState;
};

const EXPIRING_DAYS = 14;
const STATES = ["active", "announced", "brownout", "gone"] as const;

/** The state of the node as a whole. One process of a node reports it. */
export function observeNode(registry: Registry, { config, readers: { control }, isReady, usage }: NodeState): void {
  const { gauge } = onScrape(registry);
  new Gauge({
    name: "credence_build_info",
    help: "1, with the versions of the program and of Node as labels.",
    labelNames: ["version", "node"],
    registers: [registry],
  }).set({ version: VERSION, node: process.version }, 1);
  gauge("credence_ready", "1 if the node is ready to serve, as in /health/ready, otherwise 0.", async () =>
    Number(await isReady()),
  );
  observeLifeCycle(registry, config);
  const findSchema = share(() => findSchemaState(control));
  gauge(
    "credence_schema_pending",
    "Migrations that were not applied yet.",
    async () => (await findSchema()).pending.length,
  );
  gauge(
    "credence_schema_unknown",
    "Migrations that a newer program applied.",
    async () => (await findSchema()).unknown.length,
  );
  gauge(
    "credence_clock_difference_seconds",
    "How far the node's clock is ahead of the database's, beyond the duration of the query; negative if it is behind.",
    () => findClockDifference(control),
  );
  gauge("credence_keys_expiring", `Valid API keys that expire within ${EXPIRING_DAYS} days.`, () =>
    countExpiringKeys(control, EXPIRING_DAYS),
  );
  observeUsage(registry, usage);
}

function observeLifeCycle(registry: Registry, config: Config): void {
  new Gauge({
    name: "credence_v1_state",
    help: "1 for the state of the life cycle of V1, 0 for the others.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const now = lifeCycle(config, Date.now()).state;
      for (const state of STATES) this.set({ state }, Number(state === now));
    },
  });
  const { gauge } = onScrape(registry);
  const seconds = (time: number): number | null => (Number.isFinite(time) ? time / 1000 : null);
  gauge("credence_v1_deprecated_timestamp_seconds", "Unix time at which V1 was deprecated.", () =>
    seconds(config.deprecatedAt.getTime()),
  );
  gauge("credence_v1_sunset_timestamp_seconds", "Unix time of the end of V1; absent if none is set.", () =>
    seconds(config.sunsetAt?.getTime() ?? Number.POSITIVE_INFINITY),
  );
  gauge(
    "credence_v1_next_state_timestamp_seconds",
    "Unix time at which the state of V1 changes next; absent if it does not.",
    () => seconds(lifeCycle(config, Date.now()).until),
  );
}
