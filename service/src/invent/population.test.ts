import { describe, expect, test } from "vitest";
import { inventPopulation } from "./population.ts";

describe("inventPopulation", () => {
  const SIZE = 20_000;
  const people = [...inventPopulation(7, SIZE)];
  const share = (count: number) => count / SIZE;
  const names = people.map(({ passport }) => passport.passport_profile.display_name ?? "");
  const countNames = (pattern: RegExp) => names.filter((name) => pattern.test(name.normalize("NFKD"))).length;

  test("is the same for the same seed, and another for another", () => {
    expect([...inventPopulation(7, 50)]).toEqual(people.slice(0, 50).map((one, at) => ({ ...one, ...same(7, at) })));
    expect([...inventPopulation(8, 1)]).not.toEqual(people.slice(0, 1));
  });

  test("leaves out the credentials of those after the first so many, and nothing else of them", () => {
    const [one, other] = inventPopulation(7, 2, 1);
    expect(one).toEqual(people[0]);
    expect(other).toEqual({ ...people[1], credentials: [] });
  });

  test("has common names and rare ones, in many scripts", () => {
    expect(share(countNames(/a/i))).toBeGreaterThan(0.5);
    expect(share(countNames(/a/i))).toBeLessThan(0.7);
    expect(share(countNames(/\bMaria\b/))).toBeGreaterThan(0.005);
    expect(share(countNames(/\bMaria\b/))).toBeLessThan(0.02);
    const once = Map.groupBy(names, (name) => name);
    expect(share([...once.values()].filter((same) => same.length === 1).length)).toBeGreaterThan(0.2);
    for (const script of ["Han", "Arabic", "Cyrillic", "Hangul", "Devanagari", "Greek", "Hebrew", "Thai"]) {
      expect(countNames(new RegExp(`\\p{Script=${script}}`, "u")), script).toBeGreaterThan(20);
    }
  });

  test("has few high scores and many equal ones", () => {
    const scores = people.map(({ passport }) => passport.score ?? 0).sort((one, other) => one - other);
    const at = (part: number) => scores[Math.floor(SIZE * part)] ?? 0;
    expect(at(0.99)).toBeGreaterThan(10 * at(0.5));
    expect(new Set(scores).size).toBeLessThan(SIZE / 20);
  });

  test("holds what a person may hold", () => {
    const range = (counts: number[]) => [Math.min(...counts), Math.max(...counts)];
    const credentials = people.map((one) => one.credentials.length);
    expect(range(credentials)).toEqual([5, 40]);
    expect(credentials.reduce((sum, count) => sum + count) / SIZE).toBeCloseTo(15, 0);
    expect(range(people.map(({ passport }) => passport.verified_wallets.length))).toEqual([1, 4]);
    expect(range(people.map(({ passport }) => passport.passport_socials.length))).toEqual([0, 3]);
    const wallets = people.flatMap(({ passport }) => passport.verified_wallets);
    expect(new Set(wallets).size).toBe(wallets.length);
  });
});

// Only whom somebody was merged into depends on how many there are.
function same(seed: number, at: number) {
  const one = [...inventPopulation(seed, 50)][at];
  return one?.operator?.merged_into === undefined ? {} : { operator: one.operator };
}
