import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { printNumber, withoutExponent } from "./json.ts";

describe("printNumber", () => {
  test.each([
    [1e-7, "0.0000001"],
    [1.5e-7, "0.00000015"],
    [0.1 + 0.2, "0.30000000000000004"],
    [1e15, "1000000000000000"],
    [123456789012345.6, "123456789012345.6"],
    [-0, "0"],
    [0, "0"],
    [82.5, "82.5"],
    [1e21, "1000000000000000000000"],
    [1.25e22, "12500000000000000000000"],
    [-2.5e-9, "-0.0000000025"],
  ])("prints %d as %s", (value, printed) => {
    expect(printNumber(value)).toBe(printed);
  });

  test("every finite number parses to the same value and has no exponent", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const printed = printNumber(value);
        expect(printed).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(printed) === value).toBe(true);
        expect(JSON.parse(printed) === value).toBe(true);
        expect(JSON.stringify([withoutExponent(value)])).toBe(`[${printed}]`);
      }),
      { numRuns: scaled(5_000, 500) },
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("rejects %d", (value) => {
    expect(() => printNumber(value)).toThrow(RangeError);
  });
});
