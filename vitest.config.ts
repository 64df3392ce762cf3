import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    include: [
      "contract/**/*.test.ts",
      "explorer/**/*.test.ts",
      "service/**/*.test.ts",
      "conformance/**/*.test.ts",
      "docs/**/*.test.ts",
      "structure/**/*.test.ts",
    ],
    globalSetup: ["service/testing/template-database.ts"],
    // By default one core is left idle, which is half of a small machine. More than four files at a time could take more connections
    // than the hundred that PostgreSQL allows by default.
    maxWorkers: Math.min(availableParallelism(), 4),
    // Time limits end a test that hangs. They are no part of what a test proves, so they allow for a machine that is busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000, interval: 20 } },
    // Hundreds of tests start our commands: what they compile is kept, which halves what a start costs.
    env: { NO_COLOR: "1", NODE_COMPILE_CACHE: join(tmpdir(), "credence-compile-cache") },
  },
});
