import { expect, test } from "vitest";
import { proveRestoredProtections } from "./restored-protections.ts";

test("restored backups with files of protections of any age", { timeout: 300_000 }, async () => {
  const { runs } = await proveRestoredProtections(6);
  expect(runs).toBe(6);
});
