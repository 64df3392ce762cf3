/**
 * `unverifiable`: signed, but not for the server or key that this worker knows. `waiting`: hidden, and
 * erased when the grace period ends. `replaced`: by a later request.
 */
export type RequestState =
  | ("received" | "unverifiable" | "review" | "waiting")
  // Final states.
  | ("done" | "refused" | "withdrawn" | "replaced");
