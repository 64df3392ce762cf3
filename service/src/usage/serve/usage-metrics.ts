import type { Registry } from "@prometheus-io/client";
import { onScrape } from "#core/http/metrics/on-scrape.ts";
import type { UsageState } from "./write-usage.ts";

/** The counts of a node that are not in the database. */
export function observeUsage(registry: Registry, usage: () => UsageState): void {
  const { gauge, counter } = onScrape(registry);
  gauge(
    "credence_usage_waiting",
    "Requests whose usage counts are in memory until the database accepts them.",
    () => usage().waiting,
  );
  counter("credence_usage_lost_total", "Requests whose usage counts were lost.", () => usage().lost);
}
