import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Connection } from "#store/engine/database.ts";
import { findBegunAt } from "#store/scores/recalculation-of-all.ts";
import { countDue, countSetAside, findOldestDue } from "#store/scores/recalculation-queue.ts";
import type { Readers } from "#store/serving/readers.ts";
import { findCurrentEpoch } from "#store/standing/epochs.ts";

const secondsSince = (moment: Date): number => Math.max(0, (Date.now() - moment.getTime()) / 1000);

/** Gauges that are queried from the database on each scrape. All processes of a node report the same values. */
export function observeDatabase(registry: Registry, readers: Readers): void {
  const database: Connection = readers.control;
  const gauge = (name: string, help: string, read: () => Promise<number> | number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        try {
          this.set(await read());
        } catch {
          // NaN means unknown: the database is unreachable.
          this.set(Number.NaN);
        }
      },
    });
  gauge("credence_recalculation_due", "People whose scores are due for recalculation.", () => countDue(database));
  gauge(
    "credence_recalculation_oldest_due_seconds",
    "How long the oldest entry of the recalculation queue has been due; 0 if the queue is empty.",
    async () => secondsSince((await findOldestDue(database)) ?? new Date()),
  );
  gauge(
    "credence_recalculation_of_all_seconds",
    "How long the recalculation of all people has been running; 0 if none is running.",
    async () => secondsSince((await findBegunAt(database)) ?? new Date()),
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
  const { replica } = readers;
  if (replica === null) return;
  gauge("credence_replica_used", "1 if serving reads from the replica, 0 if from the primary.", () =>
    Number(replica.isUsed()),
  );
  gauge(
    "credence_replica_lag_seconds",
    "Replication lag found by the last check of a replica connection.",
    () => replica.lagMs() / 1000,
  );
  new Counter({
    name: "credence_replica_discarded_total",
    help: "Replica connections closed because the replication lag exceeded the limit.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(replica.discarded());
    },
  });
}
