// Separate from the schemas, because loading them takes longer than starting a command.

/** The maximum of every integer in V1: the largest integer that is exact in a JSON number. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** The maximum of every score. It keeps printed numbers free of exponents. */
export const MAX_SCORE = 1e15;

/**
 * Limits of one imported person; V1 itself has none. They keep a page of 100 people below 25 MB
 * and keys within the size of an index entry. Characters are Unicode code points.
 */
export const LIMITS = {
  lineBytes: 262_144,
  walletCharacters: 256,
  wallets: 1_000,
  socials: 1_000,
  credentials: 10_000,
  credentialIdCharacters: 256,
  bioCharacters: 10_000,
  urlCharacters: 4_000,
  textCharacters: 1_000,
  tags: 100,
  tagCharacters: 100,
} as const;
