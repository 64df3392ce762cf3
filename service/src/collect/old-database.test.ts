import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inventPopulation } from "#demo/invent/population.ts";
import { testFolder } from "#testing/folder.ts";
import { oldDatabase, queryOldDatabase } from "#testing/old-database.ts";
import { credential, person, wallet } from "#testing/people.ts";

test("the query of docs/TAKE-OVER.md prints the people of an old database as lines of a snapshot", async () => {
  const odd = person(
    1_000,
    { display_name: 'a\\"\\n\n\t\u0001,"', main_wallet: wallet(1), score: null, last_calculated_at: null },
    { credentials: [credential("x", { value: "\\", earned_at: "2024-01-15T00:00:00.000Z" })] },
  );
  const people = [...[...inventPopulation(11, 40)].filter(({ passport }) => !passport.merged), odd];
  const file = await queryOldDatabase(await oldDatabase(people), testFolder());
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const byId = (list: typeof people) =>
    list
      .map((someone) => ({ ...someone, credentials: someone.credentials.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }))
      .sort((a, b) => a.passport.passport_id - b.passport.passport_id);
  expect(byId(lines.map((line) => JSON.parse(line)))).toEqual(byId(people));
});
