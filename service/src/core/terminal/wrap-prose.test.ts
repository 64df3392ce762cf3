import { expect, test } from "vitest";
import { wrapProse } from "./wrap-prose.ts";

test("paragraphs are broken anew, examples and headings are kept", () => {
  const text = "One two\nthree four five.\n\nExamples:\n  $ credence a long example line\n";
  expect(wrapProse(text, 13)).toBe("One two three\nfour five.\n\nExamples:\n  $ credence a long example line\n");
  expect(wrapProse("A long line before some list:\n  a", 13)).toBe("A long line\nbefore some\nlist:\n  a");
  expect(wrapProse("averyveryverylongword b", 5)).toBe("averyveryverylongword\nb");
});
