import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveImportSpeed } from "./import-speed.ts";

// The speed depends on the machine. `npm run prove` prints it.
test("import-speed", { timeout: 600_000 }, async () => {
  const people = scaled(5_000, 1_000);
  const proven = await proveImportSpeed(people);
  expect(proven.credentials).toBeGreaterThan(people);
  expect(proven.import_peak_mib).toBeLessThan(512);
  expect(proven.generate_peak_mib).toBeLessThan(256);
});
