import { expect, test } from "vitest";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { hide, show } from "#testing/decide.ts";
import { person } from "#testing/people.ts";
import { SERVE_ROLE } from "#testing/server.ts";
import { serving } from "#testing/serving.ts";

const scrape = async (privateAddress: string): Promise<string> => (await fetch(`${privateAddress}/metrics`)).text();
const read = (text: string, name: string): number | null => {
  const line = text.split("\n").find((found) => found.startsWith(`${name} `));
  return line === undefined ? null : Number(line.split(" ")[1]);
};

test("every metric of the database has a value, also in scrapes at the same time", async () => {
  const { privateAddress } = await serving([person(1)]);
  for (const text of await Promise.all([1, 2, 3].map(() => scrape(privateAddress)))) {
    expect(text).toMatch(/^credence_standing_people 1$/m);
    expect(text.split("\n").filter((line) => /^credence.* nan$/i.test(line))).toEqual([]);
    // What the serving role may not read is absent. Counters with labels are absent until they count, and times of the
    // life cycle (credence_v1_) if they are not set.
    const gauges = [...text.matchAll(/^# TYPE (credence_(?!v1_)\w+) gauge$/gm)].map(([, name = ""]) => name);
    expect(gauges.length).toBeGreaterThan(20);
    expect(gauges.filter((name) => !new RegExp(`^${name}[ {]`, "m").test(text))).toEqual([]);
  }
});

test("the first change that is not in the list yet has an age, which a build ends", async () => {
  const { database, privateAddress } = await serving([person(1), person(2)]);
  const age = async () => read(await scrape(privateAddress), "credence_standing_unlisted_seconds");
  expect(await age()).toBe(0);
  await hide(database, [1]);
  const { rows } = await database.query("select unlisted_since from people_change");
  // The list is two hours old, the first change one hour, and further changes do not make it younger.
  await database.query("update standing_epoch set built_at = now() - interval '2 hours'");
  await database.query("update people_change set unlisted_since = now() - interval '1 hour'");
  await hide(database, [2]);
  expect(rows[0].unlisted_since).toBeInstanceOf(Date);
  expect(await age()).toBeGreaterThanOrEqual(3_600);
  expect(await age()).toBeLessThan(7_200);
  await refreshStanding(database);
  expect(await age()).toBe(0);
  await show(database, [1]);
  expect(await age()).toBeLessThan(3_600);
  expect(await age()).toBeGreaterThan(0);
});

test("with older grants, a metric is absent and the others are not", async () => {
  const { database, privateAddress } = await serving([person(1)]);
  await database.query(`revoke select on people_change from ${SERVE_ROLE}`);
  const text = await scrape(privateAddress);
  expect(read(text, "credence_standing_unlisted_seconds")).toBeNull();
  expect(read(text, "credence_standing_people")).toBe(1);
});
