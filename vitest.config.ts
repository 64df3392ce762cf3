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
    ],
    globalSetup: ["service/testing/template-database.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NO_COLOR: "1" },
  },
});
