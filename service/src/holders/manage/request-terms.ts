import type { OpenRequest } from "./requests.ts";
import type { HolderSettings } from "./settings.ts";

/** Whether the operator decides on a request, and the time until an erasure. */
export type Terms = { mode: "on" | "review"; graceMs: number };

type Configured = Pick<HolderSettings, "mode" | "graceMs">;

/** A serving node, whose role may be in other hands, can postpone an erasure for so long after its receipt. */
const MAX_PROMISED_MS = 30 * 24 * 3_600_000;

/** Of a new request. A page may have promised more than this worker's settings: the more careful counts. */
export function termsOf(request: OpenRequest, { mode, graceMs }: Configured, now: Date): Terms {
  const promisedMs = (request.grace_seconds ?? 0) * 1_000;
  // Stored in whole seconds.
  const untilLatestMs = Math.floor((request.received_at.getTime() + MAX_PROMISED_MS - now.getTime()) / 1_000) * 1_000;
  return {
    mode: mode === "on" && request.mode !== "review" ? "on" : "review",
    graceMs: Math.max(graceMs, Math.min(promisedMs, untilLatestMs)),
  };
}

/** Of a request that a worker has accepted: a later change of settings changes nothing. */
export const storedTerms = ({ mode, grace_seconds }: OpenRequest, configured: Configured): Terms => ({
  mode: mode ?? (configured.mode === "on" ? "on" : "review"),
  graceMs: grace_seconds === null ? configured.graceMs : grace_seconds * 1_000,
});
