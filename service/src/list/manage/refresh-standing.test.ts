import { describe, expect, test } from "vitest";
import { inTransaction } from "#core/database/database.ts";
import { lock } from "#core/database/locks.ts";
import { findCurrentEpoch, findListInfo } from "#list/epochs.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { hide } from "#testing/decide.ts";
import { person } from "#testing/people.ts";
import { refreshStanding } from "./refresh-standing.ts";

describe("refreshStanding", async () => {
  const { database } = await testDatabase();
  const epochTables = async () =>
    (await database.query("select tablename from pg_tables where tablename ~ '^standing_[0-9]+$' order by 1")).rows.map(
      (row) => row.tablename,
    );

  test("ranks by score, null last, ties by id, without hidden and merged people", async () => {
    await savePeople(database, [
      person(1, { score: null }),
      person(2, { score: 5 }),
      person(3, { score: 7 }),
      person(4, { score: 5 }),
      person(5, { score: 9 }),
      person(6, { score: 9, merged: true }),
      person(8, { score: 0 }),
    ]);
    await hide(database, [5]);
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

  test("retains the previous epoch and drops older ones", async () => {
    await refreshStanding(database);
    await refreshStanding(database);
    expect(await epochTables()).toEqual(["standing_3", "standing_4"]);
  });

  test("leaves an old epoch that is being read to the next refresh, without waiting", async () => {
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

  test("returns null while another refresh is running", async () => {
    await inTransaction(database, async (builder) => {
      await lock(builder, "standing");
      expect(await refreshStanding(database)).toBeNull();
    });
    expect(await refreshStanding(database)).not.toBeNull();
  });

  test("a refresh that fails at its last statement changes nothing", async () => {
    const describe = async () => {
      const { age_seconds: _, ...epoch } = await findCurrentEpoch(database);
      return { epoch, tables: await epochTables() };
    };
    const before = await describe();
    await database.query("alter table standing_epoch add constraint full_stop check (epoch < 0) not valid");
    await expect(refreshStanding(database)).rejects.toThrow("full_stop");
    expect(await describe()).toEqual(before);
    await database.query("alter table standing_epoch drop constraint full_stop");
    expect(await refreshStanding(database)).toMatchObject({ epoch: before.epoch.epoch + 1 });
  });

  test("builds epoch 1 if standing_epoch is empty", async () => {
    await database.query("delete from standing_epoch");
    expect(await refreshStanding(database)).toMatchObject({ epoch: 1, total: 5 });
    expect((await findCurrentEpoch(database)).total).toBe(5);
  });
});

test("stores how the scores are distributed, with 20 scores or more", async () => {
  const { database } = await testDatabase();
  await savePeople(
    database,
    Array.from({ length: 19 }, (_, index) => person(index + 1)),
  );
  await refreshStanding(database);
  expect((await findListInfo(database)).distribution).toBeNull();
  // 101 people: 29 without points, one with the smallest number, 70 with 1 to 70, and one with 1,000.
  const scores = [
    ...Array<number>(29).fill(0),
    Number.MIN_VALUE,
    ...Array.from({ length: 70 }, (_, index) => index + 1),
    1_000,
  ];
  await savePeople(
    database,
    // People without a score are in no bin.
    [...scores, null, null].map((score, index) => person(100 + index, { score })),
  );
  await hide(
    database,
    Array.from({ length: 19 }, (_, index) => index + 1),
  );
  await refreshStanding(database);
  const { distribution, total } = await findListInfo(database);
  expect(total).toBe(103);
  // 95 % have at most 66: 20 bins of 5 reach it.
  expect(distribution?.step).toBe(5);
  expect(distribution?.bins).toEqual([34, ...Array<number>(13).fill(5), 1, ...Array<number>(5).fill(0), 1]);
  const sorted = scores.toSorted((a, b) => a - b);
  expect(distribution?.cuts).toEqual(
    Array.from({ length: 99 }, (_, index) => sorted[Math.ceil(((index + 1) * scores.length) / 100) - 1]),
  );
});
