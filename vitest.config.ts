import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { RefuseSkips } from "./testing/refuse-skips.ts";
import { LongFirst } from "./testing/sequencer.ts";

/** Tests that start processes, containers, proxies or browsers. All other tests are fast. */
const SYSTEM = ["service/proofs/**/*.test.ts", "release/**/*.test.ts", "deploy/**/*.test.ts", "**/*.system.test.ts"];
const FOLDERS = ["contract", "explorer", "service", "conformance", "client", "docs", "structure", "testing"];

const shared = {
  // Timeouts only end tests that hang, so they are long enough for a busy machine.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 90_000, interval: 20 } },
  // The compile cache halves the CPU time of starting a command.
  env: { NO_COLOR: "1", NODE_COMPILE_CACHE: join(tmpdir(), "credence-compile-cache") },
  // When a test fails, print what it waited for, and the states it found.
  experimental: { traceTimeline: true },
  setupFiles: ["./testing/count-file.ts", "./testing/restore-clock.ts"],
};

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: "fast",
          // Modules have no state, so files share them: loading them anew was a quarter of the time.
          isolate: false,
          include: FOLDERS.map((folder) => `${folder}/**/*.test.ts`),
          exclude: [...SYSTEM, "**/node_modules/**"],
        },
      },
      { test: { ...shared, name: "system", include: SYSTEM, exclude: ["**/node_modules/**"] } },
    ],
    globalSetup: ["./service/testing/template-database.ts"],
    // biome-ignore lint/style/noProcessEnv: set by every CI.
    reporters: process.env.CI ? ["default", new RefuseSkips()] : ["default"],
    sequence: { sequencer: LongFirst },
    // More than cores, because fast tests wait half of the time. More than four files in parallel could
    // exceed PostgreSQL's default limit of 100 connections.
    maxWorkers: Math.min(availableParallelism() + 2, 4),
  },
});
