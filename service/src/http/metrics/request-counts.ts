import type { MetricType, MetricValue, Registry } from "@prometheus-io/client";

const REQUESTS = "credence_http_requests_total";
const DURATIONS = "credence_http_request_duration_seconds";
/** Upper bounds in milliseconds. */
const BUCKETS_MS = [0.5, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500];

type RouteCounts = { statuses: Map<number, number>; buckets: number[]; count: number; sumMs: number };

export type ObserveRequest = (route: string, status: number, ms: number) => void;

/**
 * Counts requests by route and status, and their durations, in plain arrays that are read when they are scraped: every request
 * passes here, and the library's own counters would cost more than finding the answer.
 */
export function countRequests(registry: Registry): ObserveRequest {
  const routes = new Map<string, RouteCounts>();

  expose(registry, REQUESTS, "Requests answered, by route and status.", "counter", () =>
    [...routes].flatMap(([route, { statuses }]) =>
      [...statuses].map(([status, value]) => ({ value, labels: { route, status } })),
    ),
  );
  expose(
    registry,
    DURATIONS,
    "Time from a request's headers until its answer is handed over, by route.",
    "histogram",
    () => [...routes].flatMap(([route, counts]) => printHistogram(route, counts)),
  );

  return (route, status, ms) => {
    let counts = routes.get(route);
    if (counts === undefined) {
      counts = { statuses: new Map(), buckets: BUCKETS_MS.map(() => 0), count: 0, sumMs: 0 };
      routes.set(route, counts);
    }
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
    counts.count += 1;
    counts.sumMs += ms;
    let at = 0;
    while (at < BUCKETS_MS.length && ms > (BUCKETS_MS[at] as number)) at += 1;
    if (at < BUCKETS_MS.length) (counts.buckets[at] as number) += 1;
  };
}

type Value = MetricValue<string> & { metricName?: string };

function printHistogram(route: string, { buckets, count, sumMs }: RouteCounts): Value[] {
  let below = 0;
  const upTo = buckets.map((inBucket, at) => {
    below += inBucket;
    return {
      metricName: `${DURATIONS}_bucket`,
      value: below,
      labels: { le: (BUCKETS_MS[at] as number) / 1_000, route },
    };
  });
  return [
    ...upTo,
    { metricName: `${DURATIONS}_bucket`, value: count, labels: { le: "+Inf", route } },
    { metricName: `${DURATIONS}_sum`, value: sumMs / 1_000, labels: { route } },
    { metricName: `${DURATIONS}_count`, value: count, labels: { route } },
  ];
}

function expose(registry: Registry, name: string, help: string, type: `${MetricType}` | string, read: () => Value[]) {
  const metric = {
    name,
    help,
    type,
    aggregator: "sum",
    get: async () => ({ name, help, type, aggregator: "sum", values: read() }),
  };
  // The library asks no more of a metric than this, but its types do.
  registry.registerMetric(metric as unknown as Parameters<Registry["registerMetric"]>[0]);
}
