import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveReadsDuringImport } from "./reads-during-import.ts";

test("reads-during-import", { timeout: 600_000 }, async () => {
  const { quiet, while_importing } = await proveReadsDuringImport(scaled(5_000, 2_500));
  expect(quiet.requests).toBeGreaterThanOrEqual(300);
  expect(while_importing.requests).toBeGreaterThanOrEqual(300);
});
