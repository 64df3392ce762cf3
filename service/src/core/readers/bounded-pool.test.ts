import { describe, expect, test } from "vitest";
import { openDatabase } from "#core/database/database.ts";
import { Overloaded } from "#core/database/failures.ts";
import { testDatabase } from "#testing/database.ts";
import { whenDone } from "#testing/when-done.ts";
import { createBoundedPool } from "./bounded-pool.ts";

describe("createBoundedPool", async () => {
  const { database, url } = await testDatabase();
  const pool = openDatabase({ url, name: "bounded", maxConnections: 1, statementTimeoutMs: 0 });
  whenDone(() => pool.end());
  const reachability = { isDown: () => false, isDoubtful: () => false, record: () => {} };
  // Longer than any statement of these tests takes, even on a busy machine.
  const bounded = createBoundedPool(pool, { responseTimeoutMs: 600_000, maxQueued: 2, name: "tests", reachability });

  test("runs statements with and without values", async () => {
    expect((await bounded.query("select 1 as number")).rows).toEqual([{ number: 1 }]);
    expect((await bounded.query("select $1::int as number", [1])).rows).toEqual([{ number: 1 }]);
    const { rows } = await bounded.query({ text: "select $1::int", values: [1], rowMode: "array" });
    expect(rows).toEqual([[1]]);
  });

  test("discards a connection that does not respond in time", async () => {
    const readPid = async () => (await bounded.query("select pg_backend_pid() as pid")).rows[0]?.pid;
    const before = await readPid();
    await expect(
      createBoundedPool(pool, { responseTimeoutMs: 50, maxQueued: 2, name: "tests", reachability }).query(
        "select pg_sleep(600)",
      ),
    ).rejects.toThrow("no response");
    expect(await readPid()).not.toBe(before);
  });

  test("rejects statements when the queue is full, and counts them", async () => {
    const statements = Array.from({ length: 6 }, () => bounded.query("select 1"));
    const outcomes = await Promise.allSettled(statements);
    const rejected = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(rejected.every((outcome) => outcome.reason instanceof Overloaded)).toBe(true);
    expect(rejected.length).toBeGreaterThan(0);
    expect(bounded.rejected()).toBe(rejected.length);
  });

  test("handles a terminated connection, whether it is in use or idle", async () => {
    const terminateBackendOf = async (text: string) =>
      (await database.query("select pg_terminate_backend(pid) from pg_stat_activity where query = $1", [text]))
        .rowCount;
    const running = bounded.query("select pg_sleep(601)");
    running.catch(() => {});
    await expect.poll(() => terminateBackendOf("select pg_sleep(601)")).toBe(1);
    await expect(running).rejects.toThrow("terminating connection");
    await bounded.query("select 'idle'");
    expect(await terminateBackendOf("select 'idle'")).toBe(1);
    await expect.poll(() => bounded.query("select 1").then(() => "succeeded", String)).toBe("succeeded");
  });

  test("prepares a statement again after the server rejects its cached plan", async () => {
    await database.query("create table thing (number int)");
    const named = { name: "things", text: "select * from thing", values: [] };
    await bounded.query(named);
    await database.query("alter table thing alter number type text");
    await expect(bounded.query(named)).rejects.toThrow("cached plan");
    expect((await bounded.query(named)).rows).toEqual([]);
    expect([pool.totalCount, pool.waitingCount]).toEqual([1, 0]);
  });
});
