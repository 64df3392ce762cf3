import { answerParent } from "./answer-parent.ts";
import type { AttackContext } from "./attack.ts";
import { ATTACKS, WARM_UP } from "./attacks.ts";

// A separate process that runs the attacks the proof requests.

export type AttackOrder = Omit<AttackContext, "count"> & { name: string; size: number };

answerParent({
  run: async ({ name, size, ...rest }: AttackOrder) => {
    const count = (full: number) => Math.max(1, Math.round(full * size));
    return [WARM_UP, ...ATTACKS].find((attack) => attack.name === name)?.run({ ...rest, count });
  },
});
