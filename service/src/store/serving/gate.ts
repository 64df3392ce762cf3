import { Overloaded } from "#store/engine/failures.ts";

/** Runs work unless too much of it is under way already. */
export type Gate = {
  run: <Result>(work: () => Promise<Result>) => Promise<Result>;
  refused: () => number;
};

/** Admits so many jobs at a time. A job of several statements is refused before its first, never half-way. */
export function createGate(name: string, most: number): Gate {
  // Shared instance: capturing a stack trace per refusal is slow under overload.
  const tooMany = new Overloaded(name);
  let running = 0;
  let refused = 0;
  return {
    async run(work) {
      if (running >= most) {
        refused += 1;
        throw tooMany;
      }
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
      }
    },
    refused: () => refused,
  };
}
