import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VARIABLES } from "#core/config/variables.ts";
import { OTHER_POINTS } from "#core/http/limits/rate-limits.ts";
import { LOOK_UP_POINTS, pagePoints, SEARCH_POINTS } from "./v1-points.ts";

type Median = { median: number };
type Case = { nodeMicroseconds: Median; databaseMicroseconds: Median };

const results = JSON.parse(readFileSync(new URL("../../../bench/results/10000.json", import.meta.url), "utf8")) as {
  cases: Record<string, Case>;
};

const cpuOf = (name: string): number => {
  const { nodeMicroseconds, databaseMicroseconds } = results.cases[name] as Case;
  return nodeMicroseconds.median + databaseMicroseconds.median;
};

test.each([
  ["cold by wallet", LOOK_UP_POINTS],
  ["cold credentials", LOOK_UP_POINTS],
  ["401, a bad key", OTHER_POINTS],
  ["404", OTHER_POINTS],
  ["list, first pages", pagePoints(25)],
  ["list, pages of 100", pagePoints(100)],
])("%s costs %d points: within a factor of two of the bench", (name, points) => {
  const measured = cpuOf(name) / cpuOf("cold by id");
  expect(measured).toBeGreaterThan(points / 2);
  expect(measured).toBeLessThan(points * 2);
});

test("a search costs at least its points: clients of the original service may send 25 in ten seconds", () => {
  expect(cpuOf("search") / cpuOf("cold by id")).toBeGreaterThan(SEARCH_POINTS / 2);
  expect(25 * SEARCH_POINTS).toBeLessThanOrEqual(Number(VARIABLES.RATE_LIMIT_ANONYMOUS));
});
