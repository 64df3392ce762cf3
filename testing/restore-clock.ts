import { afterAll, vi } from "vitest";

// Runs before each test file. Files share a process: a clock that one of them leaves fake would stop the next.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
