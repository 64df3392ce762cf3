import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeUnprintable, printable } from "./unprintable.ts";

const HOSTILE = "\u001b[31mred\u009b2J\u202eback\u2028\u0007";

test("printable replaces terminal control characters", () => {
  expect(printable(HOSTILE)).toBe("\uFFFD[31mred\uFFFD2J\uFFFDback\uFFFD\uFFFD");
});

test("escaped JSON parses to the same value", () => {
  fc.assert(
    fc.property(fc.oneof(fc.constant(HOSTILE), fc.string({ unit: "binary" })), (text) => {
      const escaped = escapeUnprintable(JSON.stringify({ text }));
      expect(escaped).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
      expect(JSON.parse(escaped)).toEqual({ text });
    }),
  );
});
