import type { Logger } from "pino";
import type { ProcessedRequests } from "#operations/holder-requests/process-requests.ts";

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
