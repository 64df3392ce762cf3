import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files with few but long tests, longest first. The default order, by size, would start them last. */
const LONG = [/proofs\/pages/, /deploy\//, /(proofs|release|docs)\//];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => [...LONG, /./].findIndex((pattern) => pattern.test(moduleId));
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    include: [
      "contract/**/*.test.ts",
      "explorer/**/*.test.ts",
      "service/**/*.test.ts",
      "conformance/**/*.test.ts",
      "client/**/*.test.ts",
      "docs/**/*.test.ts",
      "structure/**/*.test.ts",
      "release/**/*.test.ts",
      "deploy/**/*.test.ts",
    ],
    sequence: { sequencer: LongFirst },
    globalSetup: ["service/testing/template-database.ts"],
    // The default leaves one core idle, half of a small machine. More than four files in parallel
    // could exceed PostgreSQL's default limit of 100 connections.
    maxWorkers: Math.min(availableParallelism(), 4),
    // Timeouts only end tests that hang, so they are long enough for a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000, interval: 20 } },
    // Hundreds of tests start commands. The compile cache halves the CPU time of a start.
    env: { NO_COLOR: "1", NODE_COMPILE_CACHE: join(tmpdir(), "credence-compile-cache") },
  },
});
