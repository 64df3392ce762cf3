import { expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { deleteOldUsage } from "./delete-old-usage.ts";

test("deletes usage after the retention, and rare values of past days", async () => {
  const { database } = await testDatabase();
  await database.query(`
    insert into usage_count (day, client, endpoint, status, requests, last_at)
    select (now() at time zone 'UTC')::date - age, 'anonymous', '/api/v1/passports', '2xx', 1, now() - make_interval(days => age)
    from unnest(array[0, 29, 30, 31, 400]) as age`);
  await database.query(`
    insert into usage_mark (day, kind, value, requests, last_at)
    select (now() at time zone 'UTC')::date - age, kind, encode(sha256(number::text::bytea), 'hex'), number, now()
    from unnest(array[0, 2, 3, 31]) as age, unnest(array['origin', 'unknown key']) as kind, generate_series(1, 120) as number`);
  const list = async (statement: string) => (await database.query(statement)).rows.map(Object.values);
  const today = "(now() at time zone 'UTC')::date";
  await deleteOldUsage(database, 30);
  expect(await list(`select ${today} - day from usage_count order by 1`)).toEqual([[0], [29], [30]]);
  expect(
    await list(`select ${today} - day, kind, count(*), min(requests) from usage_mark group by 1, 2 order by 1, 2`),
  ).toEqual([
    [0, "origin", 120, 1],
    [0, "unknown key", 120, 1],
    [2, "origin", 120, 1],
    [2, "unknown key", 120, 1],
    [3, "origin", 50, 71],
    [3, "unknown key", 100, 21],
  ]);
});
