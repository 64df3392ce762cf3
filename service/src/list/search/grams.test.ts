import { expect, test } from "vitest";
import { gramsOf } from "./grams.ts";

test.each([
  ["王", ["王"]],
  ["jo", ["jo"]],
  ["ada", ["ada"]],
  ["aaaa", ["aaa"]],
  ["a😀bc", ["a😀b", "😀bc"]],
])("returns the grams of %s", (folded, grams) => {
  expect(gramsOf(folded)).toEqual(grams);
});
