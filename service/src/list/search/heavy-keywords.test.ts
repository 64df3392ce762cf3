import { describe, expect, test } from "vitest";
import { planSearch, REACH, STORED_RANKS } from "./heavy-keywords.ts";

const search = { folded: "anna", grams: ["ann", "nna"], skip: 0, limit: 25 };

describe("planSearch", () => {
  test("searches the names of a keyword that is not heavy, by its rare grams if it has some", () => {
    expect(planSearch(search, new Map(), 1_000)).toEqual({ by: "names", grams: ["ann", "nna"] });
    expect(planSearch(search, new Map([["ann", 9_000]]), 1_000)).toMatchObject({ by: "names", grams: ["nna"] });
    const both = new Map([
      ["ann", 9_000],
      ["nna", 9_000],
    ]);
    expect(planSearch(search, both, 1_000)).toMatchObject({ by: "names", grams: ["ann", "nna"] });
  });

  const heavy = new Map([["anna", 9_000]]);

  test("uses the stored ranks of a heavy keyword as far as there are some", () => {
    expect(planSearch(search, heavy, 100_000)).toEqual({ by: "ranks", total: 9_000 });
    expect(planSearch({ ...search, skip: STORED_RANKS - 25 }, heavy, 100_000)).toMatchObject({ by: "ranks" });
  });

  test("reads from the last anchor before the page, or from the stored rank before it", () => {
    const plan = (skip: number) => planSearch({ ...search, skip }, heavy, 100_000);
    expect(plan(STORED_RANKS - 10)).toEqual({ by: "anchor", total: 9_000, afterMatch: STORED_RANKS - 10 });
    expect(plan(1_250)).toEqual({ by: "anchor", total: 9_000, afterMatch: 1_200 });
  });

  test("searches the names when the matches are so far apart that reading in order costs more", () => {
    expect(planSearch({ ...search, skip: 2_000 }, heavy, 10_000_000)).toMatchObject({ by: "names" });
  });

  test("counts only past the last match and beyond the reach", () => {
    expect(planSearch({ ...search, skip: 9_000 }, heavy, 100_000)).toEqual({ by: "count", total: 9_000 });
    expect(planSearch({ ...search, skip: REACH, limit: 0 }, heavy, 100_000)).toMatchObject({ by: "count" });
  });
});
