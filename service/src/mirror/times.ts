/** A mirror shows nobody for longer after the last `latest.json` that it has verified. */
export const LATEST_LIFETIME_MS = 6 * 3_600_000;
/** How often a publisher writes `latest.json`, and a mirror reads it. */
export const LATEST_EVERY_MS = 5 * 60_000;
