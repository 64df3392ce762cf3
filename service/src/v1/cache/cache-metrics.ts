import { Counter, type Registry } from "@prometheus-io/client";
import { onScrape } from "#core/http/metrics/on-scrape.ts";
import type { AnswerCache } from "./answer-cache.ts";

export function observeCache(cache: AnswerCache, registry: Registry): void {
  new Counter({
    name: "credence_cache_requests_total",
    help: "Cache look-ups, by result.",
    labelNames: ["result"],
    registers: [registry],
    collect() {
      const { hits, misses } = cache.counts();
      this.reset();
      this.inc({ result: "hit" }, hits);
      this.inc({ result: "miss" }, misses);
    },
  });
  const { gauge } = onScrape(registry);
  gauge("credence_cache_bytes", "Approximate size of the cached answers.", () => cache.counts().bytes);
  gauge("credence_cache_entries", "Number of cached answers.", () => cache.counts().entries);
}
