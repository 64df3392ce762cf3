import { afterAll, vi } from "vitest";

/**
 * Imports modules whose delays advance the fake clock instead of waiting, so that the clock shows the
 * sum of all delays. Test files share modules: the others get these modules with real delays.
 */
export async function importWithFakeDelays<T>(load: () => Promise<T>): Promise<T> {
  vi.resetModules();
  vi.doMock("node:timers/promises", () => ({
    setTimeout: async (ms: number) => void vi.advanceTimersByTime(ms),
  }));
  afterAll(() => {
    vi.doUnmock("node:timers/promises");
    vi.resetModules();
  });
  return await load();
}
