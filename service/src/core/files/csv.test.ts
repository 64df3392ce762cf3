import fc from "fast-check";
import { expect, test } from "vitest";
import { formatCsv, parseCsv } from "./csv.ts";

test("quotes what needs it, and protects formulas", () => {
  const rows = [
    ["plain", 1, null],
    ['with "quotes", and comma', 2.5, "=1+1"],
    ["two\nlines", -3, "-x"],
  ];
  expect(formatCsv(["a", "b", "c"], rows)).toBe(
    'a,b,c\nplain,1,\n"with ""quotes"", and comma",2.5,\'=1+1\n"two\nlines",-3,\'-x',
  );
});

test("what is written is read again", () => {
  const field = fc.oneof(
    fc.string({ unit: fc.constantFrom('"', "'", "=", "-", ",", "\n", "\r", "\t", "a", " ", "é") }),
    fc.string(),
  );
  const row = fc.array(field, { minLength: 2, maxLength: 4 }).filter((fields) => fields.some((text) => text !== ""));
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), ([titles = [], ...rows]) => {
      fc.pre(!titles[0]?.startsWith("\uFEFF"));
      expect(parseCsv(formatCsv(titles, rows)).map(({ fields }) => fields)).toEqual([titles, ...rows]);
    }),
  );
});

test("numbers the lines, and skips blank ones", () => {
  const text = '\uFEFFx,y,w\na,b,"two\nlines"\n,,z\r\n\r\nlast,,';
  expect(parseCsv(text)).toEqual([
    { line: 1, fields: ["x", "y", "w"] },
    { line: 2, fields: ["a", "b", "two\nlines"] },
    { line: 4, fields: ["", "", "z"] },
    { line: 6, fields: ["last", "", ""] },
  ]);
  expect(parseCsv("")).toEqual([]);
});

test("a quote that is never closed is part of the text", () => {
  expect(parseCsv('a,"b\nc')).toEqual([
    { line: 1, fields: ["a", '"b'] },
    { line: 2, fields: ["c"] },
  ]);
});
