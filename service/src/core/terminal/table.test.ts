import { expect, test } from "vitest";
import { testTerminal } from "#testing/terminal.ts";
import { formatTable } from "./table.ts";

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
