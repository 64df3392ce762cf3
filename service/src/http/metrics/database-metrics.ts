import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Connection } from "#store/engine/database.ts";
import { findBegunAt } from "#store/scores/recalculation-of-all.ts";
import { countDue, countSetAside, findOldestDue } from "#store/scores/recalculation-queue.ts";
import type { Readers } from "#store/serving/readers.ts";
import { findCurrentEpoch } from "#store/standing/epochs.ts";

const secondsSince = (moment: Date): number => Math.max(0, (Date.now() - moment.getTime()) / 1000);

/** Gauges of the database, asked for when they are scraped: the same whichever process of a node asks. */
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
          // No number at all is the honest one while the database does not answer.
          this.set(Number.NaN);
        }
      },
    });
  gauge("credence_recalculation_due", "People whose scores are to be worked out anew.", () => countDue(database));
  gauge(
    "credence_recalculation_oldest_due_seconds",
    "How long the one who has waited longest has been due; 0 when nobody is.",
    async () => secondsSince((await findOldestDue(database)) ?? new Date()),
  );
  gauge(
    "credence_recalculation_of_all_seconds",
    "How long everyone has been under recalculation, a few thousand of them due at a time; 0 when that is not so.",
    async () => secondsSince((await findBegunAt(database)) ?? new Date()),
  );
  gauge("credence_recalculation_set_aside", "People whose scores could not be worked out.", () =>
    countSetAside(database),
  );
  gauge(
    "credence_standing_people",
    "People in the current standing.",
    async () => (await findCurrentEpoch(database)).total,
  );
  gauge("credence_standing_age_seconds", "How old the current standing is.", async () =>
    secondsSince((await findCurrentEpoch(database)).built_at),
  );
  gauge(
    "credence_standing_built_timestamp_seconds",
    "When the current standing was built.",
    async () => (await findCurrentEpoch(database)).built_at.getTime() / 1000,
  );
  const { replica } = readers;
  if (replica === null) return;
  gauge("credence_replica_used", "1 while the replica is read, 0 while the primary is.", () =>
    Number(replica.isUsed()),
  );
  gauge(
    "credence_replica_lag_seconds",
    "How far behind the primary the replica was that was looked at last.",
    () => replica.lagMs() / 1000,
  );
  new Counter({
    name: "credence_replica_discarded_total",
    help: "Connections that were closed because their replica was too far behind.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(replica.discarded());
    },
  });
}
