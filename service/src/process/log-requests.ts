import type { Logger } from "pino";
import type { ProcessedRequests } from "#operations/holder-requests/process-requests.ts";
import type { Database } from "#store/engine/database.ts";
import { countUnverifiedRequests } from "#store/holder-requests/requests.ts";

/** For a worker that processes no new requests, while serving nodes accept them. */
export async function warnOfUnverified(log: Logger, database: Database): Promise<void> {
  const requests = await countUnverifiedRequests(database);
  if (requests === 0) return;
  log.warn(
    { requests },
    "requests of holders are waiting, and HOLDER_REQUESTS is off here: set HOLDER_KEY and PUBLIC_URL as on the serving nodes",
  );
}

/** Logs what a worker did with requests of holders. */
export function reportRequests(log: Logger, { advanced, forged }: ProcessedRequests): void {
  if (advanced > 0) log.info({ requests: advanced }, "processed requests of holders");
  if (forged > 0) {
    log.error(
      { requests: forged },
      "deleted requests without a valid signature: either HOLDER_KEY or PUBLIC_URL differs between serving nodes and workers, or the serving role is in other hands",
    );
  }
}
