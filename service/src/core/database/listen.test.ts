import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { relayTo } from "#testing/relay.ts";
import { whenDone } from "#testing/when-done.ts";
import { openDatabase } from "./database.ts";
import { listen, startHeartbeat } from "./listen.ts";

async function openThroughRelay() {
  const { url, database: direct } = await testDatabase();
  const relay = await relayTo(url);
  const database = openDatabase({ url: relay.through(url), name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  whenDone(() => database.end());
  return { relay, database, direct };
}

test("passes notifications on, and reports a lost connection once", async () => {
  const { relay, database, direct } = await openThroughRelay();
  const [onMessage, onDisconnect] = [vi.fn(), vi.fn()];
  const { close } = await listen(database, "news", onMessage, onDisconnect);
  await direct.query("select pg_notify('news', 'hello')");
  await vi.waitFor(() => expect(onMessage).toHaveBeenCalledExactlyOnceWith("hello"));
  relay.set("cut");
  await vi.waitFor(() => expect(onDisconnect).toHaveBeenCalledOnce());
  close();
  expect(onDisconnect).toHaveBeenCalledOnce();
  expect(database.totalCount).toBe(0);
});

describe("with a clock of the test", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("notices within ten seconds that a connection does not respond", async () => {
    const { relay, database } = await openThroughRelay();
    const onDisconnect = vi.fn();
    await listen(database, "news", () => {}, onDisconnect);
    relay.set("silence");
    vi.advanceTimersByTime(9_500);
    expect(onDisconnect).not.toHaveBeenCalled();
    vi.advanceTimersByTime(500);
    expect(onDisconnect).toHaveBeenCalledOnce();
    expect(database.totalCount).toBe(0);
  });

  test("goes on while each heartbeat gets its response within five seconds", async () => {
    const lose = vi.fn();
    let respond = () => {};
    const send = () => new Promise<void>((resolve) => (respond = resolve));
    const heartbeat = startHeartbeat(send, lose);
    for (let beat = 0; beat < 3; beat += 1) {
      vi.advanceTimersByTime(5_000 + 4_500);
      respond();
      await Promise.resolve();
    }
    expect(lose).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(lose).toHaveBeenCalledOnce();
    clearInterval(heartbeat);
  });
});

test("a connection that is lost before LISTEN is answered is a rejection, and no disconnect", async () => {
  const { relay, database } = await openThroughRelay();
  await database.query("select 1");
  const onDisconnect = vi.fn();
  relay.set("silence");
  const listening = listen(database, "news", () => {}, onDisconnect);
  // The connection is taken from the pool first.
  await vi.waitFor(() => expect(database.idleCount).toBe(0));
  relay.set("cut");
  await expect(listening).rejects.toThrow();
  expect(onDisconnect).not.toHaveBeenCalled();
  expect(database.totalCount).toBe(0);
});

test("a closed listener gives its connection up, and the next one can have it", async () => {
  const { database } = await testDatabase();
  const { close } = await listen(
    database,
    "news",
    () => {},
    () => expect.unreachable(),
  );
  close();
  close();
  expect(database.totalCount).toBe(0);
});
