import { describe, expect, test } from "vitest";
import { openDatabase } from "#store/database.ts";
import { findCurrentEpoch } from "#store/standing.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { refreshStanding } from "./refresh-standing.ts";
import { savePeople } from "./save-people.ts";

describe("refreshStanding", async () => {
  const { database, url } = await testDatabase();
  const epochTables = async () =>
    (await database.query("select tablename from pg_tables where tablename ~ '^standing_[0-9]+$' order by 1")).rows.map(
      (row) => row.tablename,
    );

  test("lists by score, null last, ties by id; nobody hidden or merged", async () => {
    await savePeople(database, [
      person(1, { score: null }),
      person(2, { score: 5 }),
      person(3, { score: 7 }),
      person(4, { score: 5 }),
      person(5, { score: 9 }, { operator: { hidden: true } }),
      person(6, { score: 9, merged: true }),
      person(7, { score: 9 }, { operator: { merged_into: 3 } }),
      person(8, { score: 0 }),
    ]);
    expect(await refreshStanding(database)).toMatchObject({ epoch: 2, total: 5 });
    const { rows } = await database.query("select rank, passport_id from standing_2 order by rank");
    expect(rows.map((row) => [row.rank, row.passport_id])).toEqual([
      [1, 3],
      [2, 2],
      [3, 4],
      [4, 8],
      [5, 1],
    ]);
  });

  test("keeps the previous epoch and drops what is older", async () => {
    await refreshStanding(database);
    await refreshStanding(database);
    expect(await epochTables()).toEqual(["standing_3", "standing_4"]);
  });

  test("an old epoch that is being read is left for the next time, without holding anyone up", async () => {
    const reader = await database.connect();
    await reader.query("begin");
    await reader.query("select from standing_3");
    await refreshStanding(database);
    expect(await epochTables()).toEqual(["standing_3", "standing_4", "standing_5"]);
    await reader.query("commit");
    reader.release();
    await refreshStanding(database);
    expect(await epochTables()).toEqual(["standing_5", "standing_6"]);
  });

  test("one builder at a time: another one is told so", async () => {
    const results = await Promise.all([refreshStanding(database), refreshStanding(database)]);
    expect(results.filter((result) => result === null)).toHaveLength(1);
  });

  test("a build that dies leaves no trace", async () => {
    const before = { epoch: await findCurrentEpoch(database), tables: await epochTables() };
    const hasty = openDatabase({ url, name: "test", maxConnections: 1, statementTimeoutMs: 1 });
    await savePeople(
      database,
      Array.from({ length: 3000 }, (_, at) => person(at + 100)),
    );
    await expect(refreshStanding(hasty)).rejects.toThrow();
    await hasty.end();
    expect({ epoch: await findCurrentEpoch(database), tables: await epochTables() }).toEqual(before);
  });
});
