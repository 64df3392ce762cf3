import { afterAll, onTestFinished } from "vitest";

/** Cleans up after the running test, or after the file. Vitest ignores `afterAll` in a test. */
export function whenDone(cleanUp: () => Promise<void> | void): void {
  try {
    onTestFinished(cleanUp);
  } catch {
    afterAll(cleanUp);
  }
}
