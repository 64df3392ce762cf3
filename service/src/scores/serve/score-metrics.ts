import type { Registry } from "@prometheus-io/client";
import type { Connection } from "#core/database/database.ts";
import { onScrape } from "#core/http/metrics/on-scrape.ts";
import { countDue, countSetAside, findOldestDueSeconds, findRecalculationOfAllSeconds } from "#scores/backlog.ts";

export function observeScores(registry: Registry, database: Connection): void {
  const { gauge } = onScrape(registry);
  gauge(
    "credence_recalculation_due",
    "People whose scores are due for recalculation; of a recalculation of all people, those queued so far.",
    () => countDue(database),
  );
  gauge(
    "credence_recalculation_oldest_due_seconds",
    "How long the oldest entry of the recalculation queue has been due; 0 if the queue is empty.",
    () => findOldestDueSeconds(database),
  );
  gauge(
    "credence_recalculation_of_all_seconds",
    "How long the recalculation of all people has been running; 0 if none is running.",
    () => findRecalculationOfAllSeconds(database),
  );
  gauge("credence_recalculation_set_aside", "People set aside because their recalculation failed.", () =>
    countSetAside(database),
  );
}
