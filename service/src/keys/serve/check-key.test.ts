import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { hasKeyInQuery } from "./check-key.ts";

test.each([
  ["/api/v1/passports/1?api_key=x", true],
  ["/api/v1/passports/1?a=b&X-API-KEY=x", true],
  [`/api/v1/passports/1?a=crd_${"a".repeat(48)}`, true],
  ["/api/v1/passports/api_key=1", false],
  ["/api/v1/passports/1?keyword=key", false],
  ["/api/v1/passports/1", false],
])("hasKeyInQuery(%s) is %s", (url, expected) => {
  expect(hasKeyInQuery(url)).toBe(expected);
});

test.each(["?", "x-", "crd_", "api", "x-api-"])("takes linear time for a query of a million times %s", (part) => {
  const url = `/x?${part.repeat(1_000_000)}`;
  // Linear time is milliseconds and quadratic time is hours. The timeout only ends a failing test.
  expect(runInNewContext("hasKeyInQuery(url)", { hasKeyInQuery, url }, { timeout: 60_000 })).toBe(false);
});
