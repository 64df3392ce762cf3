import { AggregatorRegistry, Registry } from "@prometheus-io/client";
import type { Readers } from "#store/serving/readers.ts";
import { observeDatabase } from "./database-metrics.ts";

// A node of several processes has one /metrics: the first process aggregates the metrics of all.

/** In the first process: returns a function that reads the metrics of the node. */
export function aggregateMetrics(readers: Readers): () => Promise<string> {
  const registry = new Registry();
  observeDatabase(registry, readers);
  AggregatorRegistry.setRegistries([registry]);
  const node = new AggregatorRegistry();
  return () => node.clusterMetrics();
}

/** In the other processes: responds to requests of the first process. */
export function provideMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
}
