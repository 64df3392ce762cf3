import type { Logger } from "pino";
import type { Database } from "#core/database/database.ts";
import { findWaitingRequests } from "#holders/waiting-requests.ts";
import type { ProcessedRequests } from "./process-requests.ts";

/** Serving nodes check every signature, so this is no mistake of a setting. */
export const FORGED = "the serving role may be in other hands: change its password.";
export const UNVERIFIABLE =
  "set PUBLIC_URL and HOLDER_KEY of the workers as on the serving nodes; `credence requests list` shows them.";

/** An erasure does not wait for ever for somebody who may not be its holder. */
export const POSTPONED =
  "they postpone it by up to 7 days, then it is left to you: `credence requests list` shows them.";

/** For a worker that processes no new requests, while serving nodes accept them. */
export async function warnOfUnverified(log: Logger, database: Database): Promise<void> {
  const { requests } = await findWaitingRequests(database);
  if (requests === 0) return;
  log.warn(
    { requests },
    "requests of holders are waiting, and HOLDER_REQUESTS is off here: set HOLDER_KEY and PUBLIC_URL as on the serving nodes",
  );
}

/** Logs what a worker did with requests of holders. */
export function reportRequests(log: Logger, processed: ProcessedRequests): void {
  const { advanced, unlisted, forged, unverifiable, withdrawals_unverifiable } = processed;
  if (advanced > 0) log.info({ requests: advanced }, "processed requests of holders");
  if (unlisted > 0) log.info({ requests: unlisted }, "refused requests with wallets that the records do not list");
  if (forged > 0) log.error({ requests: forged }, `refused requests without a valid signature: ${FORGED}`);
  if (unverifiable > 0) log.warn({ requests: unverifiable }, `cannot verify requests of holders: ${UNVERIFIABLE}`);
  if (withdrawals_unverifiable > 0) {
    log.error(
      { requests: withdrawals_unverifiable },
      `requests to withdraw an erasure cannot be verified: ${POSTPONED}`,
    );
  }
}
