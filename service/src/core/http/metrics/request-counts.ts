import { v1EndpointOf } from "@credence/contract/endpoints.ts";
import { Counter, Histogram, type Registry } from "@prometheus-io/client";

export type ObserveRequest = (route: string, status: number, ms: number) => void;

/** `name` is the label: the endpoints of V1 have one name under all prefixes. */
type RouteMetrics = { name: string; durations: Histogram.Internal<string>; statuses: Map<number, number> };

/** Counts requests by route and status, and their durations by route. */
export function countRequests(registry: Registry): ObserveRequest {
  const registers = [registry];
  const routes = new Map<string, RouteMetrics>();
  new Counter({
    name: "credence_http_requests_total",
    help: "HTTP requests, by route and status.",
    labelNames: ["route", "status"],
    registers,
    // Counted in plain maps and copied on a scrape: labels cost 5 % of the time of a cached
    // look-up.
    collect() {
      this.reset();
      for (const { name: route, statuses } of routes.values()) {
        for (const [status, count] of statuses) this.inc({ route, status }, count);
      }
    },
  });
  const durations = new Histogram({
    name: "credence_http_request_duration_seconds",
    help: "Time from the request's headers until the response is written, by route.",
    labelNames: ["route"],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });

  return (route, status, ms) => {
    let metrics = routes.get(route);
    if (metrics === undefined) {
      const name = v1EndpointOf(route) ?? route;
      metrics = { name, durations: durations.labels({ route: name }), statuses: new Map() };
      routes.set(route, metrics);
    }
    metrics.statuses.set(status, (metrics.statuses.get(status) ?? 0) + 1);
    metrics.durations.observe(ms / 1_000);
  };
}
