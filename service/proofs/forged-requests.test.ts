import { expect, test } from "vitest";
import { FORGERIES_TRIED, proveForgedRequests } from "./forged-requests.ts";

test("forged requests", { timeout: 120_000 }, async () => {
  expect(FORGERIES_TRIED).toBeGreaterThanOrEqual(62);
  expect(await proveForgedRequests(1)).toMatchObject({ acted_on: 0 });
});
