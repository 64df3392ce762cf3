import { expect, test } from "vitest";
import { proveForgedRequests } from "./forged-requests.ts";

test("forged requests", { timeout: 120_000 }, async () => {
  expect(await proveForgedRequests(64)).toMatchObject({ forged_rows: 64, acted_on: 0, kinds: 8, calls: 640 });
});
