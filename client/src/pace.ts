import { readRateLimit } from "./notices.ts";

/** The rest is a reserve: requests reach the server later than they are sent, each by another time. */
const USED_SHARE = 0.9;
/** The limit of a longer window is a quota. Waiting for it is a decision of the caller. */
const MAX_WINDOW_SECONDS = 60;

/** Keeps a client below the rate limit that its server announces, so that it is not refused. */
export type Pace = {
  /** Reserves points for a request. Returns after how many milliseconds it can be sent. */
  reserve(points: number): number;
  /** Ends a request. Unless it was charged, its points are free again. The headers state the limit. */
  settle(points: number, isCharged?: boolean, headers?: Headers): void;
};

/** Points become available at a constant rate, up to the limit. Until a response states it, nothing waits. */
export function createPace(): Pace {
  let limit = Infinity;
  let pointsPerMs = 0;
  /** Points that were spent or reserved, and are not available again, at the time `at`. */
  let spent = 0;
  let at = 0;
  /** Of these, those of requests without a response yet. */
  let pending = 0;

  /** Adds points to those that are still spent. */
  function add(points: number): void {
    const now = performance.now();
    spent = Math.max(0, spent - (now - at) * pointsPerMs) + points;
    at = now;
  }

  return {
    reserve(points) {
      add(points);
      pending += points;
      // A client that has spent nothing can send any request.
      const excess = spent - Math.max(points, limit * USED_SHARE);
      return excess > 0 ? excess / pointsPerMs : 0;
    },

    settle(points, isCharged, headers) {
      add(isCharged ? 0 : -points);
      pending -= points;
      const found = headers && readRateLimit(headers);
      if (!found || found.windowSeconds > MAX_WINDOW_SECONDS) return;
      limit = found.limit;
      pointsPerMs = limit / found.windowSeconds / 1000;
      // Others may spend points of the same key or address. Requests under way are not counted there.
      spent = Math.max(spent, limit - (found.remaining ?? limit) + pending);
    },
  };
}
