import { binOf } from "@credence/explorer/people/distribution.ts";
import { expect, test } from "vitest";
import { findListInfo } from "#list/epochs.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";

test.each([0.0001, 0.013, 0.1, 1, 7, 2.5e12])(
  "pages find a score in the bin where the build counted it: %d",
  async (scale) => {
    const { database } = await testDatabase();
    const scores = Array.from({ length: 100 }, (_, index) => Number((index * scale).toPrecision(4)));
    await savePeople(
      database,
      scores.map((score, index) => person(index + 1, { score })),
    );
    await refreshStanding(database);
    const { distribution } = await findListInfo(database);
    const counted = Array<number>(21).fill(0);
    for (const score of scores) {
      const bin = binOf(distribution ?? { step: 1, bins: [] }, score);
      counted[bin] = (counted[bin] ?? 0) + 1;
    }
    expect(distribution?.bins).toEqual(counted);
  },
);
