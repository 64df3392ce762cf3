import fc from "fast-check";
import { expect, test } from "vitest";
import { readPath } from "#core/http/connections/request-target.ts";
import { shapeOf } from "#v1/unknown-paths.ts";
import { maskPath } from "./mask-path.ts";

test.each([
  ["/api/v2/passports", "list", "/api/v2/passports"],
  ["//api//v2/passports/?page=1", "list", "/api/v2/passports"],
  ["/API/V2/passports/1", "passport", "/*/*/passports/*"],
  ["/api/v2/passports/0xABC", "passport", "/api/v2/passports/*"],
  ["/api/v2/passport%73/0xABC", "passport", "/api/v2/passports/*"],
  ["/passports/ada", "passport", "/passports/*"],
  ["/v3/passport_credentials?passport_id=1", "credentials", "/v3/passport_credentials"],
  ["/score?id=1", "score", "/score"],
  ["/api/v3/scores", "score", "/api/v3/scores"],
  ["/ada/okafor/passports/1/2/3", "other", "/*/*/passports/*/*"],
  ["/wp-login.php", "other", "/*"],
  ["/?a=/api/v2/passports", "other", "/"],
  ["/api/v2/passports/1/socials", "other", "/api/v2/passports/*/*"],
  ["/api/v2/passports/%zz", "passport", "/api/v2/passports/*"],
])("%s has the shape %s and is stored as %s", (url, shape, masked) => {
  expect(shapeOf(readPath(url))).toBe(shape);
  expect(maskPath(readPath(url))).toBe(masked);
});

test("a stored path has only words and stars, whatever was requested", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (segments) => {
      expect(maskPath(readPath(`/${segments.join("/")}`))).toMatch(/^\/$|^(\/([a-z0-9_]{1,20}|\*)){1,5}$/);
    }),
  );
});
