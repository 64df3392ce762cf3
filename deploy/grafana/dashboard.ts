import type { Dashboard, Panel } from "@grafana/schema";

// The dashboard, checked by the types of Grafana. `npm run dashboard` writes credence.json from it.

const DATASOURCE = { type: "prometheus", uid: "$datasource" };
const V1 = 'job="credence",route=~"/api/v1/.*"';
const NODES = 'job="credence"';
const WIDTH = 8;
const HEIGHT = 7;

type Query = [expr: string, legend: string];

let panels = 0;

function panel(type: "stat" | "timeseries", title: string, description: string, unit: string, queries: Query[]) {
  const index = panels++;
  return {
    id: index + 1,
    type,
    title,
    description,
    datasource: DATASOURCE,
    gridPos: { x: (index % 3) * WIDTH, y: Math.floor(index / 3) * HEIGHT, w: WIDTH, h: HEIGHT },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + index),
      datasource: DATASOURCE,
      expr,
      legendFormat,
    })),
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options:
      type === "stat" ? { textMode: "value_and_name" } : { legend: { displayMode: "list", placement: "bottom" } },
  } satisfies Partial<Panel>;
}

export const dashboard = {
  title: "Credence",
  uid: "credence",
  tags: ["credence"],
  schemaVersion: 39,
  time: { from: "now-24h", to: "now" },
  refresh: "1m",
  templating: {
    list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }],
  },
  panels: [
    panel("stat", "Nodes that are ready", "0 for a node that runs but cannot serve.", "none", [
      [`credence_ready{${NODES}}`, "{{instance}}"],
      [`count by (version) (credence_build_info{${NODES}})`, "version {{version}}"],
    ]),
    panel("stat", "State of V1", "The current state, and the time until it changes, if it does.", "s", [
      [`max by (state) (credence_v1_state{${NODES}} == 1)`, "{{state}}"],
      [`max(credence_v1_next_state_timestamp_seconds{${NODES}}) - time()`, "next state in"],
    ]),
    panel("timeseries", "V1 requests by status", "410: V1 is switched off. 429: limited. 5xx: failed.", "reqps", [
      [`sum by (status) (rate(credence_http_requests_total{${V1}}[5m]))`, "{{status}}"],
    ]),
    panel("timeseries", "V1 duration", "Until the response is written.", "s", [
      [
        `histogram_quantile(0.5, sum by (le) (rate(credence_http_request_duration_seconds_bucket{${V1}}[5m])))`,
        "median",
      ],
      [
        `histogram_quantile(0.99, sum by (le) (rate(credence_http_request_duration_seconds_bucket{${V1}}[5m])))`,
        "99 %",
      ],
    ]),
    panel("timeseries", "Queues, as a share of their limits", "At 100 % requests are rejected.", "percentunit", [
      [
        `max by (queue) (credence_queue_depth{${NODES}} / on (instance, queue) credence_queue_limit{${NODES}})`,
        "{{queue}}",
      ],
    ]),
    panel("timeseries", "Refused", "Requests and connections that a limit refused, per second.", "none", [
      [`sum(rate(credence_rate_limited_total{${NODES}}[5m]))`, "429"],
      [`sum by (queue) (rate(credence_queue_rejected_total{${NODES}}[5m]))`, "queue {{queue}}"],
      [`sum(rate(credence_http_connections_refused_total{${NODES}}[5m]))`, "connections"],
    ]),
    panel("timeseries", "Cache hits", "The share of look-ups in the cache that found an answer.", "percentunit", [
      [
        `sum(rate(credence_cache_requests_total{${NODES},result="hit"}[5m])) / sum(rate(credence_cache_requests_total{${NODES}}[5m]))`,
        "hits",
      ],
    ]),
    panel("timeseries", "The list", "The first change that is not in the list, and the age of the list.", "s", [
      [`max(credence_standing_unlisted_seconds{${NODES}})`, "first unlisted change"],
      [`min(credence_standing_age_seconds{${NODES}})`, "age of the list"],
    ]),
    panel("timeseries", "Requests of holders", "Requests that wait, and erasures that are overdue.", "none", [
      [`max(credence_holder_requests_waiting{${NODES}})`, "waiting"],
      [`max(credence_holder_requests_in_review{${NODES}})`, "in review"],
      [`max(credence_holder_erasures_overdue{${NODES}})`, "erasures overdue"],
    ]),
    panel("timeseries", "Who still calls", "Requests without a valid key, or to paths that are no endpoint.", "reqps", [
      [`sum(rate(credence_unknown_keys_total{${NODES}}[5m]))`, "unknown key"],
      [`sum(rate(credence_keys_in_urls_total{${NODES}}[5m]))`, "key in the URL"],
      [`sum by (shape) (rate(credence_unknown_paths_total{${NODES}}[5m]))`, "path like {{shape}}"],
    ]),
    panel("timeseries", "Memory", "Resident memory of each node.", "bytes", [
      [`process_resident_memory_bytes{${NODES}}`, "{{instance}}"],
    ]),
  ],
} satisfies Partial<Dashboard>;
