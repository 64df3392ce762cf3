import { CARRIED_FIELDS, type CarriedFields } from "@credence/contract/carried.ts";

/**
 * Invariant: the two ETags of a person, with `hidden`, determine every stored fact of that person.
 * Imports compare ETags instead of facts, so every new fact must be part of a document.
 * documents-hold-facts.test.ts checks the invariant.
 */

/** Increment when the output changes. Documents of other versions must be rebuilt. */
export const PRESENTER_VERSION = 1;

/** The version of passport documents, which depend on the carried fields too. */
export function passportVersion(carried: CarriedFields): number {
  const bits = CARRIED_FIELDS.reduce((sum, field, index) => sum + (carried.has(field) ? 2 ** index : 0), 0);
  return PRESENTER_VERSION + 1_000 * bits;
}
