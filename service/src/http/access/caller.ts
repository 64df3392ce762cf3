export type ValidKey = { keyId: string; pointsLimit: number | null; rehearsedUntil: Date | null };

/** Who sent a request. `keyId` is null for a request without a key. */
export type Caller = ValidKey | { keyId: null };

export const WITHOUT_KEY: Caller = { keyId: null };
