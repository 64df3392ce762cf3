import type { Difference } from "./difference.ts";

/**
 * The differences between the old and the new server, from two responses of the old one: before and
 * after the response of the new one. A difference is noise if only one of the old responses has it,
 * or if the old responses differ from each other at the same place.
 */
export function withoutNoise(
  before: readonly Difference[],
  after: readonly Difference[],
  ofOld: readonly Difference[],
): Difference[] {
  const [inBefore, inAfter, inOld] = [before, after, ofOld].map(byIdentity) as [Identities, Identities, Identities];
  return [...new Map([...inAfter, ...inBefore])].map(([identity, difference]) => {
    const other = inAfter.get(identity);
    const isNoise = !inBefore.has(identity) || other === undefined || inOld.has(identity);
    return { ...difference, explanation: isNoise ? "noise" : (difference.explanation ?? other.explanation) };
  });
}

type Identities = Map<string, Difference>;

const byIdentity = (differences: readonly Difference[]): Identities =>
  new Map(
    differences.map((difference) => [
      JSON.stringify([difference.class, difference.kind, difference.place]),
      difference,
    ]),
  );
