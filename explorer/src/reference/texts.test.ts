import { expect, test } from "vitest";
import { SETTINGS } from "../../testing/settings.ts";
import { formatDate } from "../dates.ts";
import { llmsText } from "./llms-text.ts";
import { OPENAPI } from "./openapi.ts";
import { describeRange, describeType } from "./ranges.ts";
import { describeApi, printJson } from "./reference.ts";
import { referenceMarkdown } from "./reference-markdown.ts";

const reference = describeApi(OPENAPI, SETTINGS);

test("the Markdown document shows all of openapi.json", () => {
  const markdown = referenceMarkdown(reference);
  const { schemas, headers, responses } = OPENAPI.components;
  const operations = Object.entries(OPENAPI.paths);
  const names = [
    ...operations.flatMap(([path, { get }]) => [`GET ${path}`, ...get.parameters.map(({ name }) => name)]),
    ...Object.values(schemas).flatMap(({ properties }) => Object.keys(properties ?? {})),
    ...Object.keys(headers),
    ...Object.values(responses).flatMap(({ content }) => Object.keys(content?.["application/json"].examples ?? {})),
  ];
  for (const name of names) expect(markdown).toContain(`\`${name}\``);
  for (const { description } of Object.values(headers)) expect(markdown).toContain(description);
  for (const { snippets } of reference.endpoints) for (const { code } of snippets) expect(markdown).toContain(code);
  expect(markdown).toContain("V1 is deprecated as of 31 March 2025.");
});

test("all rows of a Markdown table have the same number of cells", () => {
  const tables = referenceMarkdown(reference).match(/(?:^\|.*\n)+/gm) ?? [];
  expect(tables.length).toBeGreaterThan(10);
  for (const table of tables) {
    const cells = table
      .trimEnd()
      .split("\n")
      .map((row) => row.split(/(?<!\\)\|/).length);
    expect(new Set(cells).size, table).toBe(1);
  }
});

test("llms.txt has a summary, the deprecation and links to the documentation", () => {
  const text = llmsText(reference);
  expect(text).toMatch(/^# Passport and Credentials API \(V1\)\n\n> Read-only/);
  expect(text).toContain("deprecated as of 31 March 2025");
  expect(text).toContain("(https://v1.example/prefix/docs.md)");
  expect(text).toContain("(https://v1.example/prefix/openapi.json)");
  expect(text.length).toBeLessThan(2_000);
});

test("formatDate prints the month as a word, and the time unless it is midnight", () => {
  expect(formatDate(new Date("2025-03-31"))).toBe("31 March 2025");
  expect(formatDate(new Date("2027-12-01T23:05:00Z"))).toBe("1 December 2027, 23:05 UTC");
});

test("printJson prints a value on one line if it fits", () => {
  expect(printJson({ a: [1, "x"], b: {} }, 40)).toBe('{ "a": [1, "x"], "b": {} }');
  expect(printJson({ a: [1, "x"], b: null }, 12)).toBe('{\n  "a": [1, "x"],\n  "b": null\n}');
  expect(printJson({ a: [1, "x"] }, 7)).toBe('{\n  "a": [\n    1,\n    "x"\n  ]\n}');
  const value = OPENAPI.paths["/api/v1/passports"]?.get.responses["200"]?.content?.["application/json"].example;
  expect(JSON.parse(printJson(value))).toEqual(value);
});

test.each([
  [{ type: "number", minimum: 0, maximum: 1e15 }, "number", "0 to 1000000000000000 (10^15)"],
  [{ type: "integer", minimum: 1, maximum: 2 ** 53 - 1 }, "integer", "1 to 9007199254740991 (2^53 − 1)"],
  [{ type: "integer", minimum: 1, default: 1 }, "integer", "from 1; default 1"],
  [{ type: ["string", "null"], maxLength: 64 }, "string or null", "at most 64 characters"],
  [{ type: ["string", "null"], format: "date-time" }, "string or null", "RFC 3339 in UTC"],
  [{ type: "array", items: { type: "string" } }, "array of string", "any number of items"],
  [{ type: "boolean" }, "boolean", "true or false"],
  [{ $ref: "#/components/schemas/Passport" }, "object", null],
])("describeType and describeRange of %j", (schema, type, range) => {
  expect(describeType(schema)).toBe(type);
  expect(describeRange(schema)).toBe(range);
});

test("the Markdown names the dates of deprecation and sunset, brownouts and the successor", () => {
  const markdownOf = (changes: object) => referenceMarkdown(describeApi(OPENAPI, { ...SETTINGS, ...changes }));
  const markdown = markdownOf({});
  expect(markdown).toContain("deprecated as of 31 March 2025");
  expect(markdown).toContain("ends on 30 June 2027, 12:00 UTC");
  expect(markdown).toContain("2 times: 1 April 2027, 15:00 UTC, for 5 minutes; 23 June 2027, 15:00 UTC, for 48 hours.");
  expect(markdownOf({ brownouts: [] })).not.toContain("Before that");
  expect(markdownOf({ sunsetAt: null, brownouts: [], successorUrl: null })).toContain("No sunset date is set.");
});
