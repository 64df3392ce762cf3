import { Gauge, type Registry } from "@prometheus-io/client";
import type { Config } from "#core/config/config.ts";
import { onScrape } from "#core/http/metrics/on-scrape.ts";
import { lifeCycle } from "#life-cycle/state-and-headers.ts";

const STATES = ["active", "announced", "brownout", "gone"] as const;

export function observeLifeCycle(registry: Registry, config: Config): void {
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
