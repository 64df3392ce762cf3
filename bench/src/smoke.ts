import type { Results } from "./run-bench.ts";

/** Returns a line for each case with broken connections or without any response. */
export function listUnanswered({ cases }: Results): string[] {
  return Object.entries(cases).flatMap(([name, { perSecond, broken = 0 }]) => {
    if (!(perSecond.median > 0)) return [`${name}: no responses`];
    return broken > 0 ? [`${name}: ${broken} broken connections`] : [];
  });
}
