import { AggregatorRegistry, Registry } from "@prometheus-io/client";
import type { Readers } from "#store/serving/readers.ts";
import { observeDatabase } from "./database-metrics.ts";

// A node of several processes has one /metrics: the first process asks the others and adds theirs up.

/** In the first process: how to read the metrics of the whole node. */
export function aggregateMetrics(readers: Readers): () => Promise<string> {
  const registry = new Registry();
  observeDatabase(registry, readers);
  AggregatorRegistry.setRegistries([registry]);
  const node = new AggregatorRegistry();
  return () => node.clusterMetrics();
}

/** In the others: hands theirs over when asked. */
export function provideMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
}
