import { expect, test } from "vitest";
import { testTerminal } from "#testing/terminal.ts";
import { formatCsv, formatTable } from "./table.ts";

test("aligns columns, cuts long texts, escapes control characters, and adds bars", () => {
  const columns = [
    { title: "name", max: 6 },
    { title: "requests", isNumber: true },
  ];
  const rows = [
    ["a", "1,000"],
    ["abcdefgh", "500"],
    ["b\u001b[31m", "1"],
    ["total", "1,501"],
  ];
  const table = formatTable(testTerminal().stdout, columns, rows, [1_000, 500, 1]);
  expect(table.split("\n")).toEqual([
    "name    requests",
    `a          1,000  ${"█".repeat(40)}`,
    `abcde…       500  ${"█".repeat(20)}`,
    "b\uFFFD[31m         1  ▏",
    "total      1,501",
  ]);
});

test("quotes fields of CSV, and disarms formulas", () => {
  const rows = [
    ["plain", 1, null],
    ['with "quotes", and comma', 2.5, "=1+1"],
    ["two\nlines", -3, "-x"],
  ];
  expect(formatCsv(["a", "b", "c"], rows)).toBe(
    'a,b,c\nplain,1,\n"with ""quotes"", and comma",2.5,\'=1+1\n"two\nlines",-3,\'-x',
  );
});
