import type { Results } from "./run-bench.ts";

/** One line for each case in which a connection broke or nothing was answered. A slow answer is an answer. */
export function listUnanswered({ cases }: Results): string[] {
  return Object.entries(cases).flatMap(([name, { perSecond, broken = 0 }]) => {
    if (!(perSecond.median > 0)) return [`${name}: nothing was answered.`];
    return broken > 0 ? [`${name}: ${broken} connections broke.`] : [];
  });
}
