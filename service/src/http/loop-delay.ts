const LOOK_EVERY_MS = 50;
const BUSY_MS = 50;

/** Says whether the event loop is behind: requests that can be refused should be, so that the others are answered in time. */
export type IsBusy = () => boolean;

/** A timer that fires late shows how long everything else waits. */
export function watchLoop(): { isBusy: IsBusy; close: () => void } {
  let lookedAt = performance.now();
  let delayMs = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    delayMs = now - lookedAt - LOOK_EVERY_MS;
    lookedAt = now;
  }, LOOK_EVERY_MS).unref();
  return {
    // Late even now, or late the last time.
    isBusy: () => Math.max(delayMs, performance.now() - lookedAt - LOOK_EVERY_MS) > BUSY_MS,
    close: () => clearInterval(timer),
  };
}
