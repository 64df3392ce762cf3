/**
 * Invariant: the two ETags of a person, with `hidden`, determine every stored fact of that person.
 * Imports compare ETags instead of facts, so every new fact must be part of a document.
 * documents-hold-facts.test.ts checks the invariant.
 */

/** Increment when the output changes. Documents of other versions must be rebuilt. */
export const PRESENTER_VERSION = 1;
