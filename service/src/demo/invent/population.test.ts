import { describe, expect, test } from "vitest";
import { inventPopulation } from "./population.ts";

describe("inventPopulation", () => {
  const SIZE = 20_000;
  const people = [...inventPopulation(7, SIZE)];
  const share = (count: number) => count / SIZE;
  const names = people.map(({ passport }) => passport.passport_profile.display_name ?? "");
  const countNames = (pattern: RegExp) => names.filter((name) => pattern.test(name.normalize("NFKD"))).length;

  test("depends on the seed", () => {
    expect([...inventPopulation(7, 50)]).toEqual(people.slice(0, 50));
    expect([...inventPopulation(8, 1)]).not.toEqual(people.slice(0, 1));
  });

  test("omits only the credentials of people after the first `withCredentials`", () => {
    const [first, second] = inventPopulation(7, 2, 1);
    expect(first).toEqual(people[0]);
    expect(second).toEqual({ ...people[1], credentials: [] });
  });

  test("has common and rare names in many scripts", () => {
    expect(share(countNames(/a/i))).toBeGreaterThan(0.5);
    expect(share(countNames(/a/i))).toBeLessThan(0.7);
    expect(share(countNames(/\bMaria\b/))).toBeGreaterThan(0.005);
    expect(share(countNames(/\bMaria\b/))).toBeLessThan(0.02);
    const byName = Map.groupBy(names, (name) => name);
    expect(share([...byName.values()].filter((equal) => equal.length === 1).length)).toBeGreaterThan(0.2);
    for (const script of ["Han", "Arabic", "Cyrillic", "Hangul", "Devanagari", "Greek", "Hebrew", "Thai"]) {
      expect(countNames(new RegExp(`\\p{Script=${script}}`, "u")), script).toBeGreaterThan(20);
    }
  });

  test("has few high scores and many equal ones", () => {
    const scores = people.map(({ passport }) => passport.score ?? 0).sort((a, b) => a - b);
    const at = (part: number) => scores[Math.floor(SIZE * part)] ?? 0;
    expect(at(0.99)).toBeGreaterThan(10 * at(0.5));
    expect(new Set(scores).size).toBeLessThan(SIZE / 20);
  });

  test("has 5 to 40 credentials, 1 to 4 wallets and up to 3 socials per person", () => {
    const range = (counts: number[]) => [Math.min(...counts), Math.max(...counts)];
    const credentials = people.map((person) => person.credentials.length);
    expect(range(credentials)).toEqual([5, 40]);
    expect(credentials.reduce((sum, count) => sum + count) / SIZE).toBeCloseTo(15, 0);
    expect(range(people.map(({ passport }) => passport.verified_wallets.length))).toEqual([1, 4]);
    expect(range(people.map(({ passport }) => passport.passport_socials.length))).toEqual([0, 3]);
    const wallets = people.flatMap(({ passport }) => passport.verified_wallets);
    expect(new Set(wallets).size).toBe(wallets.length);
  });
});
