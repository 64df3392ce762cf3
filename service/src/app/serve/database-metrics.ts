import type { Registry } from "@prometheus-io/client";
import type { Connection } from "#core/database/database.ts";
import { onScrape, share } from "#core/http/metrics/on-scrape.ts";
import { listWorkers, type WorkerReport } from "#core/process/worker-processes.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import { observeRequests } from "#holders/serve/request-metrics.ts";
import { observeList } from "#list/serve/list-metrics.ts";

type Gauges = ReturnType<typeof onScrape>["gauge"];

/** Metrics that are queried from the database. */
export function observeDatabase(registry: Registry, { control: database, replica }: Readers): void {
  const { gauge, counter } = onScrape(registry);
  observeList(registry, database);
  observeWorkers(gauge, database);
  observeRequests(registry, database);
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

/** The workers of the database. */
function observeWorkers(gauge: Gauges, database: Connection): void {
  const listAll = share(() => listWorkers(database));
  const count = (isCounted: (worker: WorkerReport) => boolean) => async () =>
    (await listAll()).filter((worker) => worker.is_running && isCounted(worker)).length;
  gauge(
    "credence_workers",
    "Worker processes that were seen in the last 90 seconds.",
    count(() => true),
  );
  gauge(
    "credence_workers_verifying",
    "Running workers that have HOLDER_KEY and verify requests of holders.",
    count(({ verifies }) => verifies),
  );
  gauge(
    "credence_workers_erasing",
    "Running workers that have OPT_OUT_KEY and erase people.",
    count(({ erases }) => erases),
  );
  gauge(
    "credence_workers_older_than_file",
    "Running workers whose database lacks decisions of their file: a backup was restored, import the file.",
    count(({ is_older_than_file }) => is_older_than_file),
  );
  gauge(
    "credence_decisions_file_age_seconds",
    "How long ago a worker found its file of decisions up to date; 0 if no worker has one.",
    async () => {
      const ages = (await listAll()).flatMap((worker) => worker.file_age_seconds ?? []);
      return ages.length === 0 ? 0 : Math.max(0, Math.min(...ages));
    },
  );
}
