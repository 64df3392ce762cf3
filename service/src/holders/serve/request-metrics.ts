import type { Registry } from "@prometheus-io/client";
import type { Connection } from "#core/database/database.ts";
import { onScrape, share } from "#core/http/metrics/on-scrape.ts";
import { findWaitingRequests, type WaitingRequests } from "#holders/waiting-requests.ts";

/** Requests of holders that wait. */
export function observeRequests(registry: Registry, database: Connection): void {
  const { gauge } = onScrape(registry);
  const findWaiting = share(() => findWaitingRequests(database));
  const waiting = (name: keyof WaitingRequests) => async () => (await findWaiting())[name];
  gauge("credence_holder_requests_waiting", "Requests of holders that no worker has verified.", waiting("requests"));
  gauge(
    "credence_holder_requests_waiting_seconds",
    "How long the oldest request of a holder has been waiting for a worker; 0 if none is. Above 120: no worker runs, none has the HOLDER_KEY and PUBLIC_URL of the servers, or a request fails.",
    waiting("ageSeconds"),
  );
  gauge(
    "credence_holder_requests_in_review",
    "Requests of holders that wait for the operator's decision.",
    waiting("in_review"),
  );
  gauge(
    "credence_holder_requests_in_review_seconds",
    "How long ago the oldest request was received that waits for the operator's decision; 0 if none does.",
    waiting("reviewSeconds"),
  );
  gauge(
    "credence_holder_erasures_overdue",
    "Erasures whose grace period ended more than 5 minutes ago.",
    waiting("erasures_overdue"),
  );
}
