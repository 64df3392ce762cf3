import type { Person } from "@credence/contract/person.ts";
import type { Observation } from "./observation.ts";
import type { Assembled, Outcome } from "./outcome.ts";
import type { Previous } from "./previous.ts";

const DAY_MS = 86_400_000;

/** How long the record of a previous snapshot stands in for responses that cannot be used. */
const MAX_KEPT_DAYS = 30;

export type KeptFrom = Pick<Previous, "createdAt" | "keptSince">;

/**
 * A response in an invalid form, or a 404 that is not V1's, is no reason to lose a person at once. The
 * limit is for people who are gone for good, on a server that never says so in the form of V1.
 */
export function keepPrevious(assembled: Assembled, { id, text }: Observation, from: KeptFrom): Assembled {
  const { person, outcomes, isDoubtful, isPrevious } = assembled;
  const keptBefore = from.keptSince(id);
  if (person !== null) return isPrevious && keptBefore !== null ? { ...assembled, keptSince: keptBefore } : assembled;
  if (!isDoubtful) return assembled;
  const keptSince = keptBefore ?? from.createdAt;
  const ageMs = Date.now() - Date.parse(keptSince);
  const [first, ...others] = outcomes as [Outcome, ...Outcome[]];
  if (ageMs > MAX_KEPT_DAYS * DAY_MS) {
    const reason = `${first.reason}; the previous record is dropped: it is more than ${MAX_KEPT_DAYS} days old`;
    return { person, outcomes: [{ ...first, reason }, ...others] };
  }
  const kept_days = Math.max(0, Math.floor(ageMs / DAY_MS));
  return {
    person: JSON.parse(text) as Person,
    outcomes: [{ ...first, outcome: "rejected", kept_days }, ...others],
    keptSince,
  };
}
