import { afterAll, onTestFinished } from "vitest";

/** Cleans up after the test that is running, or after the file when none is: inside a test, `afterAll` would be ignored. */
export function whenDone(cleanUp: () => Promise<void> | void): void {
  try {
    onTestFinished(cleanUp);
  } catch {
    afterAll(cleanUp);
  }
}
