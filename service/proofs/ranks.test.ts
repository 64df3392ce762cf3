import { expect, test } from "vitest";
import { proveRanks } from "./ranks.ts";

test("ranks on pages are counts in SQL", async () => {
  expect(await proveRanks(200)).toMatchObject({ checked: expect.any(Number) });
});
