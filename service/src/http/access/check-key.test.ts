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
])("%s: %s", (url, expected) => {
  expect(hasKeyInQuery(url)).toBe(expected);
});

test.each(["?", "x-", "crd_", "api", "x-api-"])("%s, a million times over, takes linear time", (part) => {
  const url = `/x?${part.repeat(1_000_000)}`;
  // Linear work takes milliseconds and quadratic work hours: the limit only stops what would never end.
  expect(runInNewContext("hasKeyInQuery(url)", { hasKeyInQuery, url }, { timeout: 60_000 })).toBe(false);
});
