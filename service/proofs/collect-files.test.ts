import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveCollectFiles } from "./collect-files.ts";

test("collect-files", { timeout: 600_000 }, async () => {
  const { peak_mib, responses } = await proveCollectFiles(scaled(20_000, 2_000));
  expect(responses).toBeGreaterThan(1_900);
  expect(peak_mib).toBeLessThan(300);
});
