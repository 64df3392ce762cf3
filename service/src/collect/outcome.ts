import type { Person } from "@credence/contract/person.ts";

/** What became of a person. `tie`: equally new responses with different content. */
export type Outcome = {
  passport_id: number | null;
  outcome: "collected" | "incomplete" | "rejected" | "disappeared" | "failed" | "erased" | "tie";
  reason?: string;
  /** The file of a rejected response. */
  file?: string;
  /** The fields whose null was replaced. */
  replaced?: string[];
  /** The age in days of the record that was kept. */
  kept_days?: number;
};

/**
 * `person` is null if the person is not part of the snapshot. `isDoubtful`: the server may have the
 * person all the same. `isPrevious`: it is the record of the previous snapshot. `keptSince`: since when
 * the person is kept without a valid response.
 */
export type Assembled = {
  person: Person | null;
  outcomes: Outcome[];
  isDoubtful?: boolean;
  isPrevious?: boolean;
  keptSince?: string;
};
