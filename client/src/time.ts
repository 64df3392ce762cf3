/** Timers with a longer time end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A signal that is aborted when the time is over, or with another signal. `stop` releases both.
 * AbortSignal.any would leave a timer behind for each call.
 */
export function startDeadline(timeoutMs: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(abort, Math.min(timeoutMs, MAX_TIMER_MS));
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  const stop = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, stop };
}

/** Ends early if the signal is aborted. The next request then fails with the reason. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
