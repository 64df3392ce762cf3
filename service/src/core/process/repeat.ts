import { setTimeout as delay } from "node:timers/promises";

/** Repeats a step, which returns how long to pause after it. The wake signal ends a pause. */
export type Repeat = (job: string, retryMs: number, step: () => Promise<number>) => Promise<void>;

/** The default poll interval, and the delay before a failed step is retried. */
export const POLL_MS = 5_000;
/** An outage of the database may be over soon. */
export const RETRY_OUTAGE_MS = 2_000;

/** Ends early at the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
