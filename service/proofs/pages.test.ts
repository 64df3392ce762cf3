import { expect, test } from "vitest";
import { PAGE_CASES } from "./pages/page-cases.ts";
import { provePages } from "./pages.ts";

test("pages", { timeout: 300_000 }, async () => {
  expect(await provePages(0)).toEqual({ states: PAGE_CASES.length, visits: PAGE_CASES.length, violations: 0 });
});
