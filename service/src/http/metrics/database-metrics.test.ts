import { expect, test } from "vitest";
import { person } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";

test("every metric of the database has a value, also in scrapes at the same time", async () => {
  const { privateAddress } = await serving([person(1)]);
  const scrape = async () => (await fetch(`${privateAddress}/metrics`)).text();
  for (const text of await Promise.all([scrape(), scrape(), scrape()])) {
    expect(text).toMatch(/^credence_standing_people 1$/m);
    expect(text.split("\n").filter((line) => /^credence.* nan$/i.test(line))).toEqual([]);
  }
});
