import { expect, test } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { findOtherPrefixes, suggestPrefixes } from "./suggest-prefixes.ts";

test("finds the prefixes under which V1 is asked for, but not served", () => {
  const count = (path: string, requests = 1) => ({ path, requests });
  const paths = [
    ...[count("/api/v1/passports"), count("/api/v2/passports/*", 3), count("/api/v2/passport_credentials", 2)],
    ...[count("/v3/passports", 7), count("/old/passports"), count("/api/v2/passports/*/*", 9), count("/score", 9)],
    ...[count("/passports/*", 9), count("/*/passports", 9)],
  ];
  expect(findOtherPrefixes(paths, ["/old"])).toEqual([
    { prefix: "/v3", requests: 7 },
    { prefix: "/api/v2", requests: 5 },
  ]);
});

test("suggests a setting that the configuration accepts, with the most frequent prefixes", () => {
  const prefixes = ["/search", "/v1", "/v2", "/v3", "/v4", "/v5", "/api/v2"];
  const paths = prefixes.map((prefix, index) => ({ path: `${prefix}/passports/*`, requests: index + 1 }));
  const { others, setting } = suggestPrefixes(paths, ["/old"]);
  expect(setting).toBe("V1_ALSO_AT=/old,/api/v2,/v5,/v4");
  expect(others).toHaveLength(3);
  expect(readConfig({ V1_ALSO_AT: setting?.replace("V1_ALSO_AT=", "") }).v1AlsoAt).toHaveLength(4);
  expect(suggestPrefixes([{ path: "/search/passports", requests: 1 }], [])).toEqual({ others: [], setting: null });
});
