import { expect, test } from "vitest";
import { gramsToAsk } from "./grams.ts";

test.each([
  ["王", ["王"]],
  ["jo", ["jo"]],
  ["ada", ["ada"]],
  ["aaaa", ["aaa"]],
  ["a😀bc", ["a😀b", "😀bc"]],
])("%s", (folded, grams) => {
  expect(gramsToAsk(folded)).toEqual(grams);
});
