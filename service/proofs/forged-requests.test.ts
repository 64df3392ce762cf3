import { expect, test } from "vitest";
import { proveForgedRequests } from "./forged-requests.ts";

test("forged requests", { timeout: 120_000 }, async () => {
  expect(await proveForgedRequests(40)).toMatchObject({ forged: 40, acted_on: 0, not_stored: 81 });
});
