import { Overloaded } from "#store/engine/failures.ts";

/** Admission control: runs a job, or rejects it if too many are running. */
export type Gate = {
  run: <Result>(job: () => Promise<Result>) => Promise<Result>;
  rejected: () => number;
};

/** A job of several statements is rejected before its first statement, never halfway. */
export function createGate(name: string, maxRunning: number): Gate {
  // Shared instance: capturing a stack trace per rejection is slow under overload.
  const gateFull = new Overloaded(name);
  let running = 0;
  let rejected = 0;
  return {
    async run(job) {
      if (running >= maxRunning) {
        rejected += 1;
        throw gateFull;
      }
      running += 1;
      try {
        return await job();
      } finally {
        running -= 1;
      }
    },
    rejected: () => rejected,
  };
}
