import type { Registry } from "@prometheus-io/client";
import { findBegunAt } from "#store/scores/recalculation-of-all.ts";
import { countDue, countSetAside, findOldestDue } from "#store/scores/recalculation-queue.ts";
import type { Readers } from "#store/serving/readers.ts";
import { findCurrentEpoch } from "#store/standing/epochs.ts";
import { onScrape } from "./on-scrape.ts";

const secondsSince = (time: Date | null): number =>
  time === null ? 0 : Math.max(0, (Date.now() - time.getTime()) / 1000);

/** Metrics that are queried from the database. All processes of a node report the same values. */
export function observeDatabase(registry: Registry, { control: database, replica }: Readers): void {
  const { gauge, counter } = onScrape(registry);
  gauge("credence_recalculation_due", "People whose scores are due for recalculation.", () => countDue(database));
  gauge(
    "credence_recalculation_oldest_due_seconds",
    "How long the oldest entry of the recalculation queue has been due; 0 if the queue is empty.",
    async () => secondsSince(await findOldestDue(database)),
  );
  gauge(
    "credence_recalculation_of_all_seconds",
    "How long the recalculation of all people has been running; 0 if none is running.",
    async () => secondsSince(await findBegunAt(database)),
  );
  gauge("credence_recalculation_set_aside", "People set aside because their recalculation failed.", () =>
    countSetAside(database),
  );
  gauge(
    "credence_standing_people",
    "People in the current standing.",
    async () => (await findCurrentEpoch(database)).total,
  );
  gauge("credence_standing_age_seconds", "Age of the current standing.", async () =>
    secondsSince((await findCurrentEpoch(database)).built_at),
  );
  gauge(
    "credence_standing_built_timestamp_seconds",
    "Unix time at which the current standing was built.",
    async () => (await findCurrentEpoch(database)).built_at.getTime() / 1000,
  );
  if (replica === null) return;
  gauge("credence_replica_used", "1 if serving reads from the replica, 0 if from the primary.", () =>
    Number(replica.isUsed()),
  );
  gauge(
    "credence_replica_lag_seconds",
    "Replication lag found by the last check of a replica connection.",
    () => replica.lagMs() / 1000,
  );
  counter(
    "credence_replica_discarded_total",
    "Replica connections closed because the replication lag exceeded the limit.",
    replica.discarded,
  );
}
