import { describe, expect, test } from "vitest";
import { openDatabase } from "#store/engine/database.ts";
import { Overloaded } from "#store/engine/failures.ts";
import { testDatabase } from "#testing/database.ts";
import { whenDone } from "#testing/when-done.ts";
import { createBoundedPool } from "./bounded.ts";

describe("a bounded connection", async () => {
  const { database, url } = await testDatabase();
  const pool = openDatabase({ url, name: "bounded", maxConnections: 1, statementTimeoutMs: 0 });
  whenDone(() => pool.end());
  // No statement of these tests takes so long, however busy the machine is.
  const bounded = createBoundedPool({ silentAfterMs: 600_000, maxWaiting: 2, name: "tests" }, pool);

  test("asks with and without values", async () => {
    expect((await bounded.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect((await bounded.query("select $1::int as one", [1])).rows).toEqual([{ one: 1 }]);
    const { rows } = await bounded.query({ text: "select $1::int", values: [1], rowMode: "array" });
    expect(rows).toEqual([[1]]);
  });

  test("gives up one that says nothing, and asks the next over another", async () => {
    const readPid = async () => (await bounded.query("select pg_backend_pid() as pid")).rows[0]?.pid;
    const before = await readPid();
    await expect(
      createBoundedPool({ silentAfterMs: 50, maxWaiting: 2, name: "tests" }, pool).query("select pg_sleep(600)"),
    ).rejects.toThrow("says nothing");
    expect(await readPid()).not.toBe(before);
  });

  test("refuses more statements than may wait, and counts them", async () => {
    const asked = Array.from({ length: 6 }, () => bounded.query("select 1"));
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter((one) => one.status === "rejected");
    expect(refused.every((one) => one.reason instanceof Overloaded)).toBe(true);
    expect(refused.length).toBeGreaterThan(0);
    expect(bounded.refused()).toBe(refused.length);
  });

  test("hears that one was ended, whether it was being used or not", async () => {
    const endWhoAskedLast = async (text: string) =>
      (await database.query("select pg_terminate_backend(pid) from pg_stat_activity where query = $1", [text]))
        .rowCount;
    const asked = bounded.query("select pg_sleep(601)");
    asked.catch(() => {});
    await expect.poll(() => endWhoAskedLast("select pg_sleep(601)")).toBe(1);
    await expect(asked).rejects.toThrow("terminating connection");
    await bounded.query("select 'the last'");
    expect(await endWhoAskedLast("select 'the last'")).toBe(1);
    await expect.poll(() => bounded.query("select 1").then(() => "answered", String)).toBe("answered");
  });

  test("prepares anew what the server no longer takes", async () => {
    await database.query("create table thing (number int)");
    const named = { name: "things", text: "select * from thing", values: [] };
    await bounded.query(named);
    await database.query("alter table thing alter number type text");
    await expect(bounded.query(named)).rejects.toThrow("cached plan");
    expect((await bounded.query(named)).rows).toEqual([]);
    expect([pool.totalCount, pool.waitingCount]).toEqual([1, 0]);
  });
});
