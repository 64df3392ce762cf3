/** Repeats a step, which returns how long to pause after it. The wake signal ends a pause. */
export type Repeat = (job: string, retryMs: number, step: () => Promise<number>) => Promise<void>;

/** The default poll interval, and the delay before a failed step is retried. */
export const POLL_MS = 5_000;
