import { expect, test } from "vitest";
import { parseListQuery } from "./list-query.ts";
import { pageLinks, printPageLinks } from "./page-links.ts";

const LIST = "https://v1.example/api/v1/passports";
const linksOf = (query: Record<string, string>, current_page: number, last_page: number) =>
  pageLinks(parseListQuery(query), { current_page, last_page, total: 25 * last_page });
const relations = (links: ReturnType<typeof pageLinks>) => links.map(({ rel, query }) => `${rel} ${query}`);

test("past the end, prev is the last page", () => {
  for (const page of [5, 6, 1_000]) {
    expect(relations(linksOf({ page: String(page) }, page, 4))).toEqual([
      "first ?page=1",
      "prev ?page=4",
      "last ?page=4",
    ]);
  }
  expect(relations(linksOf({ page: "4" }, 4, 4))).toEqual(["first ?page=1", "prev ?page=3", "last ?page=4"]);
});

test("above 1,500 bytes, first and last are left out, and not below", () => {
  const printed = (letters: number) => {
    const links = linksOf({ keyword: "é".repeat(letters) }, 2, 3);
    return { header: printPageLinks(LIST, LIST, links), all: links.length };
  };
  const lengths = Array.from({ length: 60 }, (_, index) => printed(index + 20));
  const long = lengths.filter(({ header }) => !header.includes('rel="first"'));
  const short = lengths.filter(({ header }) => header.includes('rel="first"'));
  expect(Math.max(...short.map(({ header }) => header.length))).toBeLessThanOrEqual(1_500);
  // One letter more adds six bytes to each of four addresses.
  expect(Math.max(...short.map(({ header }) => header.length))).toBeGreaterThan(1_500 - 24);
  expect(long.length).toBeGreaterThan(0);
  for (const { header } of long)
    expect([...header.matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel)).toEqual(["prev", "next"]);
});

test("under another prefix, the length of V1's own decides", () => {
  const links = linksOf({ keyword: "é".repeat(50) }, 2, 3);
  const header = printPageLinks(`${LIST}${"x".repeat(1_000)}`, LIST, links);
  expect(header.match(/rel=/g)).toHaveLength(printPageLinks(LIST, LIST, links).match(/rel=/g)?.length ?? 0);
});
