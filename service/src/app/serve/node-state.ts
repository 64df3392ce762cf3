import { Gauge, type Registry } from "@prometheus-io/client";
import type { Config } from "#core/config/config.ts";
import { VERSION } from "#core/config/version.ts";
import { findSchemaState } from "#core/database/migrations.ts";
import { findClockDifference } from "#core/database/server.ts";
import { onScrape, share } from "#core/http/metrics/on-scrape.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import { observeKeys } from "#keys/serve/key-metrics.ts";
import { observeLifeCycle } from "#life-cycle/serve/life-cycle-metrics.ts";
import { observeUsage } from "#usage/serve/usage-metrics.ts";
import type { UsageState } from "#usage/serve/write-usage.ts";

export type NodeState = {
  config: Config;
  readers: Readers;
  isReady: () => Promise<boolean>;
  usage: () => UsageState;
};

/** The state of the node. */
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
  observeKeys(registry, control);
  observeUsage(registry, usage);
}
