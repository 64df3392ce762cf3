import { afterAll, onTestFinished } from "vitest";

/** Registers a clean-up for the running test, or for the file if no test is running. Vitest ignores `afterAll` in a test. */
export function whenDone(cleanUp: () => Promise<void> | void): void {
  try {
    onTestFinished(cleanUp);
  } catch {
    afterAll(cleanUp);
  }
}
