import { expect, test } from "vitest";
import { formatCsv } from "#core/terminal/table.ts";
import { parseCsv } from "./parse-csv.ts";

test("parses what formatCsv prints, and numbers the lines", () => {
  const rows = [
    ["a", 'say "hi", please', "two\nlines"],
    ["", "", "z"],
  ];
  const text = `\uFEFF${formatCsv(["x", "y", "w"], rows)}\r\n\r\nlast,,`;
  expect(parseCsv(text)).toEqual([
    { line: 1, fields: ["x", "y", "w"] },
    { line: 2, fields: ["a", 'say "hi", please', "two\nlines"] },
    { line: 4, fields: ["", "", "z"] },
    { line: 6, fields: ["last", "", ""] },
  ]);
  expect(parseCsv("")).toEqual([]);
});
