import { setTimeout as delay } from "node:timers/promises";

/** What a worker does again and again. */
export type Job = {
  /** Completes "cannot …" in the log. */
  name: string;
  /** The pause between two runs. */
  everyMs: number;
  /** A notice of new work ends the pause. */
  wakes: boolean;
  /** The pause after a failed run. During an outage of the database it begins shorter. */
  retryMs: number;
  /** Returns how long to pause instead of `everyMs`; 0: there is more to do. */
  run: () => Promise<number | undefined>;
};

/** By default, how often a worker looks for work without being woken. */
export const POLL_MS = 5_000;
/** An outage of the database may be over soon. */
export const RETRY_OUTAGE_MS = 2_000;

/** Ends early at the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
