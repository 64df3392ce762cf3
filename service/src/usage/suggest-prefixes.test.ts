import { expect, test } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { suggestPrefixes } from "./suggest-prefixes.ts";

test("suggests a setting that the configuration accepts, with the most frequent prefixes", () => {
  const prefixes = ["/search", "/v1", "/v2", "/v3", "/v4", "/v5", "/api/v2"];
  const paths = prefixes.map((prefix, index) => ({ path: `${prefix}/passports/*`, requests: index + 1 }));
  const { others, setting } = suggestPrefixes(paths, ["/old"]);
  expect(setting).toBe("V1_ALSO_AT=/old,/api/v2,/v5,/v4");
  expect(others).toHaveLength(3);
  expect(readConfig({ V1_ALSO_AT: setting?.replace("V1_ALSO_AT=", "") }).v1AlsoAt).toHaveLength(4);
  expect(suggestPrefixes([{ path: "/search/passports", requests: 1 }], [])).toEqual({ others: [], setting: null });
});
