/** Settings of a server without rate limits. */
export const UNLIMITED = { RATE_LIMIT_ANONYMOUS: "0", RATE_LIMIT_KEYS: "0" };
