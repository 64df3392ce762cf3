import { describe, expect, test, vi } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { createLog } from "#core/process/log.ts";
import { testDatabase } from "#testing/database.ts";
import { relayTo } from "#testing/relay.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";
import type { UsageCount } from "#usage/record-usage.ts";
import type { Usage } from "./usage-counter.ts";
import { openUsageWriter, type UsageWriterOptions } from "./write-usage.ts";

const count = (requests: number, changes: Partial<UsageCount> = {}): Usage => ({
  counts: [
    {
      ...{ day: new Date().toISOString().slice(0, 10), client: "anonymous", endpoint: "/api/v1/passports" },
      ...{ status: "2xx", requests, last_at: new Date().toISOString() },
      ...changes,
    },
  ],
  ...{ marks: [], lost: 0 },
});

/** A writer, and what adds to the counts that it takes. */
function openWriter(options: Omit<UsageWriterOptions, "take">) {
  const added: Usage[] = [];
  const take = (): Usage => {
    const taken = added.splice(0);
    return {
      counts: taken.flatMap(({ counts }) => counts),
      marks: taken.flatMap(({ marks }) => marks),
      lost: taken.reduce((sum, { lost }) => sum + lost, 0),
    };
  };
  return { ...openUsageWriter({ ...options, take }), add: (usage: Usage) => void added.push(usage) };
}

describe("the usage writer", async () => {
  async function open() {
    const { database, name } = await testDatabase();
    const url = urlOf(name, SERVE_ROLE);
    const relay = await relayTo(url);
    const lines: string[] = [];
    const log = createLog("info", { write: (line: string) => void lines.push(line) });
    const writer = openWriter({ url: relay.through(url), log, config: readConfig({}) });
    whenDone(async () => {
      relay.set("pass");
      await writer.close();
    });
    const sum = async () =>
      (await database.query("select coalesce(sum(requests), 0)::integer as sum from usage_count")).rows[0].sum;
    const logs = () => lines.map((line) => JSON.parse(line) as { msg: string; requests?: number });
    return { database, relay, writer, sum, logs };
  }

  test("writes counts, and the rest at the end", async () => {
    const { writer, sum, logs } = await open();
    writer.add(count(3));
    await writer.write();
    expect(await sum()).toBe(3);
    writer.add(count(4));
    await writer.close();
    expect(await sum()).toBe(7);
    expect(logs()).toEqual([]);
  });

  test("keeps counts in memory while the database is unreachable", async () => {
    const { writer, relay, sum, logs } = await open();
    writer.add(count(3));
    await writer.write();
    relay.set("cut");
    for (let index = 0; index < 5; index += 1) {
      writer.add(count(10));
      await writer.write();
    }
    expect(writer.state()).toEqual({ waiting: 50, lost: 0 });
    relay.set("pass");
    await writer.write();
    expect(writer.state()).toEqual({ waiting: 0, lost: 0 });
    expect(await sum()).toBe(53);
    expect(logs().map(({ msg }) => msg)).toEqual([
      "cannot write usage counts; they stay in memory",
      "usage counts are written again",
    ]);
  });

  const isWaiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

  test("writes a batch again if the connection is lost before the commit", async () => {
    const { database, writer, relay, sum } = await open();
    const blocker = await database.connect();
    await blocker.query("begin; lock table lock_usage in exclusive mode");
    writer.add(count(5));
    const writing = writer.write();
    await expect.poll(async () => (await database.query(isWaiting)).rowCount).toBe(1);
    relay.set("cut");
    await blocker.query("commit");
    blocker.release();
    await writing;
    writer.add(count(6));
    relay.set("pass");
    await writer.write();
    expect(await sum()).toBe(11);
  });

  test("counts a batch once if the response to the commit is lost", async () => {
    const { database, writer, relay, sum, logs } = await open();
    // Delays the commit, until the relay has stopped forwarding.
    await database.query(`
      create function wait_for_lock () returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); return null; end $$;
      create constraint trigger delayed after insert on usage_count deferrable initially deferred
      for each row execute function wait_for_lock ()`);
    const blocker = await database.connect();
    await blocker.query("select pg_advisory_lock(1)");
    writer.add(count(5));
    const writing = writer.write();
    await expect.poll(async () => (await database.query(isWaiting)).rowCount).toBe(1);
    relay.set("silence");
    await blocker.query("select pg_advisory_unlock(1)");
    blocker.release();
    await writing;
    expect(logs()).toMatchObject([{ msg: "cannot write usage counts; they stay in memory" }]);
    expect(await sum()).toBe(5);
    relay.set("cut");
    relay.set("pass");
    writer.add(count(6));
    await writer.write();
    expect(await sum()).toBe(11);
  });

  test("logs how many requests were lost", async () => {
    const { writer, relay, logs, sum } = await open();
    writer.add({ ...count(1), lost: 9 });
    writer.add(count(20, { client: "deleted key" }));
    writer.add(count(30, { day: "2020-01-01" }));
    await writer.write();
    expect(await sum()).toBe(1);
    expect(writer.state()).toEqual({ waiting: 0, lost: 59 });
    writer.add(count(40));
    relay.set("cut");
    await writer.close();
    expect(logs().flatMap(({ msg, requests }) => (requests === undefined ? [] : [[msg, requests]]))).toEqual([
      ["usage counts were lost: too many clients", 9],
      ["usage counts were lost: too old, or of deleted keys", 50],
      ["usage counts were lost: the database did not accept them before the stop", 40],
    ]);
  });

  test("drops a batch that the database refuses", async () => {
    const { writer, logs, sum } = await open();
    writer.add(count(7, { status: "999" as "2xx" }));
    await writer.write();
    writer.add(count(2));
    await writer.write();
    expect(await sum()).toBe(2);
    expect(logs().at(-1)).toMatchObject({ msg: "usage counts were lost: refused by the database", requests: 7 });
  });

  test.each([
    ["optional", "refused"],
    ["open", "accepted: AUTH_MODE is open"],
  ] as const)("in %s mode it logs once an hour that unknown keys were %s", (authMode, result) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const lines: string[] = [];
      const log = createLog("info", { write: (line: string) => void lines.push(line) });
      const writer = openWriter({ url: urlOf("nowhere"), log, config: readConfig({ AUTH_MODE: authMode }) });
      writer.add(count(3));
      writer.add(count(4, { client: "unknown key" }));
      writer.add(count(5, { client: "unknown key", status: "401" }));
      vi.advanceTimersByTime(3_600_000);
      const reports = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes("unknown keys"));
      expect(reports).toMatchObject([{ requests: 9, msg: expect.stringContaining(result) }]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("it logs once an hour which setting would answer requests to other paths", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const lines: string[] = [];
      const log = createLog("info", { write: (line: string) => void lines.push(line) });
      const config = readConfig({ V1_ALSO_AT: "/old" });
      const writer = openWriter({ url: urlOf("nowhere"), log, config });
      const paths = [
        "/api/v1/passports/*",
        "/old/passports",
        "/api/v2/passports/*",
        "/api/v2/passport_credentials",
        "/*",
      ];
      const marks = paths.map((value) => ({ day: "2027-01-01", kind: "path" as const, value, requests: 2 }));
      writer.add({ counts: [], marks, lost: 0 });
      vi.advanceTimersByTime(3_600_000);
      const reports = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes("another path"));
      expect(reports).toMatchObject([{ requests: 4, msg: expect.stringContaining("V1_ALSO_AT=/old,/api/v2 answers") }]);
      vi.advanceTimersByTime(3_600_000);
      expect(lines.filter((line) => line.includes("another path"))).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
