import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inTransaction } from "#core/database/database.ts";
import { findCurrentEpoch } from "#list/epochs.ts";
import { correctStanding } from "#list/manage/corrections.ts";
import { indexNames } from "#list/manage/index-names.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { SEARCHED_CODE_POINTS } from "#list/search/heavy-keywords.ts";
import { testDatabase } from "#testing/database.ts";
import { scaled } from "#testing/scale.ts";
import { searchStanding } from "./standing-search.ts";

const PEOPLE = 12_000;
const FIRST_NAMES = ["ann", "anna", "joan", "王伟", "bo", "a.b%_", "maria", "x"];
const LAST_NAMES = ["smith", "anson", "明", "o'neil", "nn", "zz", "mann", "王"];

/** Makes a name from a number: some names are common, most are rare. */
function nameOf(id: number): string | null {
  if (id % 97 === 0) return null;
  // Too long for the gram index, and longer than the searched part.
  if (id % 211 === 0) return `${"ann 王伟 ".repeat(id % 17)}${id}`;
  // Too short for a gram of three characters.
  if (id % 7 === 0) return "jo";
  const firstName = FIRST_NAMES[Math.floor((id * 7919) % 64 ** 0.9) % FIRST_NAMES.length];
  const lastName =
    id % 3 === 0 ? `${LAST_NAMES[id % LAST_NAMES.length]}` : `${LAST_NAMES[(id * 31) % LAST_NAMES.length]}${id % 500}`;
  return `${firstName} ${lastName}`;
}

const searchedPart = (name: string | null): string => [...(name ?? "")].slice(0, SEARCHED_CODE_POINTS).join("");

describe("searchStanding", async () => {
  const { database } = await testDatabase();
  const names = Array.from({ length: PEOPLE }, (_, index) => nameOf(index + 1));
  await database.query(
    `insert into person (passport_id, folded_name, merged, credentials, line)
     select n, name, false, 0, '{}' from unnest($1::text[]) with ordinality as people (name, n)`,
    [names],
  );
  await database.query(`insert into passport_document select passport_id, passport_id::text, '}', '', 0 from person`);
  await refreshStanding(database);
  const epoch = await findCurrentEpoch(database);

  /** All scores are equal, so ranks equal ids. */
  const matchesOf = (folded: string) =>
    names.flatMap((name, index) => (searchedPart(name).includes(folded) ? [index + 1] : []));
  const removed = new Set<number>();

  // With a threshold of 5,000 most keywords use the names table, with 20 the keywords table.
  test.each([
    [5_000, 0],
    [1_000, 0],
    [20, 0],
    [5_000, 3_000],
    [20, 6_000],
  ])(
    "pages of any keyword have its matches and never move, with a heavy keyword threshold of %i and %i people removed",
    async (threshold, hidden) => {
      await inTransaction(database, async (connection) => {
        await indexNames(connection, epoch.epoch, PEOPLE, threshold);
        const ids = Array.from({ length: hidden }, (_, index) => ((index * 7) % PEOPLE) + 1);
        for (const id of ids) removed.add(id);
        await connection.query("update person set merged = true where passport_id = any ($1)", [ids]);
        await correctStanding(connection, ids);
      });
      const namePart = fc
        .tuple(
          fc.integer({ min: 0, max: PEOPLE - 1 }),
          fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 110 })),
          fc.integer({ min: 1, max: 8 }),
        )
        .map(([at, start, size]) => [...(names[at] ?? "ann")].slice(start, start + size).join("") || "jo");
      const anyKeyword = fc.string({
        unit: fc.constantFrom("a", "n", " ", "王", "s", "%", "'"),
        minLength: 1,
        maxLength: 5,
      });
      await fc.assert(
        fc.asyncProperty(
          fc.oneof({ weight: 3, arbitrary: namePart }, { weight: 1, arbitrary: anyKeyword }),
          fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 9_900 })),
          fc.integer({ min: 0, max: 100 }),
          async (folded, skip, limit) => {
            const found = await searchStanding(database, epoch, { folded, skip, limit });
            const expected = matchesOf(folded);
            expect(found).toMatchObject({
              total: expected.length,
              items: expected
                .slice(skip, skip + limit)
                .filter((id) => !removed.has(id))
                .join(","),
            });
          },
        ),
        { numRuns: scaled(400, 40) },
      );
    },
  );
});
