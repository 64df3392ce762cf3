import { expect, test } from "vitest";
import { parseQuery, routableTarget } from "./request-target.ts";

test.each([
  ["/api/v1/passports?keyword=%zz", "/api/v1/passports?keyword=%zz"],
  ["/a%20b?c", "/a%20b?c"],
  ["/%zz?c=%zz", "/%25zz?c=%zz"],
  ["/%ff%31", "/%25ff%2531"],
  ["http://other.example/api?x", "/api?x"],
  ["http://other.example", "/"],
  ["http://other.example?x", "/?x"],
  ["*", "/*"],
  ["", "/"],
])("%s is routed as %s", (target, routed) => {
  expect(routableTarget(target)).toBe(routed);
});

test("parses any query, and uses the last of duplicate parameters", () => {
  expect({ ...parseQuery("a=1&a=2&b=%zz&c=%ff&d&=e&__proto__=x&f=a+b%20c") }).toEqual(
    Object.fromEntries([
      ["a", "2"],
      ["b", "%zz"],
      ["c", "\ufffd"],
      ["d", ""],
      ["", "e"],
      ["__proto__", "x"],
      ["f", "a b c"],
    ]),
  );
});
