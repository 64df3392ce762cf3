import { Counter, Histogram, type Registry } from "@prometheus-io/client";

export type ObserveRequest = (route: string, status: number, ms: number) => void;

type RouteMetrics = { durations: Histogram.Internal<string>; statuses: Map<number, Counter.Internal> };

/** Counts requests by route and status, and their durations by route. */
export function countRequests(registry: Registry): ObserveRequest {
  const registers = [registry];
  const requests = new Counter({
    name: "credence_http_requests_total",
    help: "HTTP responses, by route and status.",
    labelNames: ["route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "credence_http_request_duration_seconds",
    help: "Time from the request headers until the response is handed to the socket, by route.",
    labelNames: ["route"],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const routes = new Map<string, RouteMetrics>();

  return (route, status, ms) => {
    let metrics = routes.get(route);
    if (metrics === undefined) {
      metrics = { durations: durations.labels({ route }), statuses: new Map() };
      routes.set(route, metrics);
    }
    let counter = metrics.statuses.get(status);
    if (counter === undefined) {
      counter = requests.labels({ route, status });
      metrics.statuses.set(status, counter);
    }
    counter.inc();
    metrics.durations.observe(ms / 1_000);
  };
}
