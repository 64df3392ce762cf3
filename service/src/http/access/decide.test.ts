import { expect, test } from "vitest";
import { hasKeyInQuery } from "./decide.ts";

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

test("no address makes it slow", () => {
  const hostile = [
    `/x?${"?".repeat(8_000)}`,
    `/x?${"x-".repeat(4_000)}`,
    `/x?${"crd_".repeat(2_000)}`,
    `/x?${"api".repeat(2_700)}`,
  ];
  const started = performance.now();
  for (let round = 0; round < 20; round++) for (const url of hostile) hasKeyInQuery(url);
  // 80 of the longest targets there are; quadratic work would take ten seconds.
  expect(performance.now() - started).toBeLessThan(500);
});
