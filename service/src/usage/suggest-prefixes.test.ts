import { expect, test } from "vitest";
import { findOtherPrefixes } from "./suggest-prefixes.ts";

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
