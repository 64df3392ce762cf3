/**
 * Invariant: the two ETags of a person presented alone (without wallets gained by merges, and not queued for recalculation), with
 * `hidden` and `merged_into`, determine every stored fact of that person. Imports compare ETags in place of facts. A new fact must
 * therefore show in a document; documents-hold-facts.test.ts checks it.
 */

/** Raised whenever the presenter prints anything differently; documents written by another version want rebuilding. */
export const PRESENTER_VERSION = 1;
