import type { AppliedLimit } from "./rate-limits.ts";

/** The refusals of a client in ten seconds that are sent at once. */
const PROMPT_REFUSALS = 100;
const DELAY_MS = 1_000;
/** A delayed response takes memory, so their number is limited. */
export const MAX_DELAYED = 5_000;

/** Whether a client goes on sending although it is refused. */
export const ignoresRefusals = (limit: AppliedLimit | null): boolean =>
  limit !== null && limit.refusals > PROMPT_REFUSALS;

/**
 * Delays responses to a client that sends too much. It waits for its responses, so it sends less.
 * Without this, a client that ignores 429 can keep a core busy.
 */
export function createDelay(): (send: () => void) => void {
  let delayed = 0;
  return (send) => {
    if (delayed >= MAX_DELAYED) {
      send();
      return;
    }
    delayed += 1;
    setTimeout(() => {
      delayed -= 1;
      send();
    }, DELAY_MS);
  };
}
