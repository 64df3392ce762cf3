import { AggregatorRegistry, Registry } from "@prometheus-io/client";
import { observeDatabase } from "./database-metrics.ts";
import { type NodeState, observeNode } from "./node-state.ts";

// A node of several processes has one /metrics: the first process aggregates the metrics of all.

/** In the first process: returns a function that reads the metrics of the node. */
export function aggregateMetrics(node: NodeState): () => Promise<string> {
  const registry = new Registry();
  observeDatabase(registry, node.readers);
  observeNode(registry, node);
  AggregatorRegistry.setRegistries([registry]);
  const aggregator = new AggregatorRegistry();
  return () => aggregator.clusterMetrics();
}

/** In the other processes: responds to requests of the first process. */
export function provideMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
}
