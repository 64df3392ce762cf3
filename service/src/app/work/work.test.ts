import { afterEach, describe, expect, test, vi } from "vitest";
import type { Database } from "#core/database/database.ts";
import { DatabaseDown } from "#core/database/failures.ts";
import { unlessClaimed } from "#core/database/locks.ts";
import { findState } from "#decisions/ledger.ts";
import { openHolderRequests } from "#holders/serve/requests.ts";
import { findCurrentEpoch } from "#list/epochs.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { findStandingDelay } from "#list/manage/standing-schedule.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { hide } from "#testing/decide.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { credential, person } from "#testing/people.ts";
import { evmWallet } from "#testing/wallets.ts";
import { whenDone } from "#testing/when-done.ts";
import { type WorkOptions, work, workUntilDone } from "./work.ts";

const HOUR_MS = 3_600_000;

/** Starts a worker in this process; it is stopped after the test. */
function startWork(database: Database, options: Partial<WorkOptions> = {}) {
  const stop = new AbortController();
  const failures: string[] = [];
  const epochs: number[] = [];
  const working = work(database, {
    standingMaxAgeMs: HOUR_MS,
    usageRetentionDays: 400,
    holders: HOLDERS_ON,
    onRequests: () => {},
    signal: stop.signal,
    onStanding: ({ epoch }) => epochs.push(epoch),
    refreshStanding: () => refreshStanding(database),
    onFailure: (job) => failures.push(job),
    ...options,
  });
  const ended = async () => {
    stop.abort();
    await working;
  };
  whenDone(ended);
  return { epochs, failures, stop: ended };
}

/** The connection that listens for work; null while there is none. */
const findListener = async (database: Database): Promise<number | null> => {
  const { rows } = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and query = 'listen credence_work' and state = 'idle'`,
  );
  return rows[0]?.pid ?? null;
};

const scored = (id: number) => person(id, {}, { credentials: [credential("a")] });

describe("work", () => {
  test("builds the list soon after an outage, and not while another process does", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1)]);
    const build = vi.fn(() => refreshStanding(database)).mockRejectedValueOnce(new DatabaseDown());
    const claim = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const claimed = unlessClaimed(database, () => {
      begun.resolve();
      return claim.promise;
    });
    await begun.promise;
    const worker = startWork(database, { standingMaxAgeMs: 0, pollMs: 50, refreshStanding: build });
    await expect.poll(() => findListener(database)).not.toBeNull();
    expect(await unlessClaimed(database, async () => "built")).toBeNull();
    expect(build).not.toHaveBeenCalled();
    const started = performance.now();
    claim.resolve();
    await claimed;
    await expect.poll(() => worker.epochs).toEqual([2]);
    expect([worker.failures, build.mock.calls.length]).toEqual([["build the list"], 2]);
    // A build that failed for another reason is repeated after a minute.
    expect(performance.now() - started).toBeLessThan(50_000);
  });

  test("goes on after its connections were terminated, and listens again", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [scored(1), scored(2)]);
    const worker = startWork(database);
    await expect.poll(() => findListener(database)).not.toBeNull();
    const terminated = await findListener(database);
    await database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await expect
      .poll(async () => {
        const listener = await findListener(database);
        return listener !== null && listener !== terminated;
      })
      .toBe(true);
    await hide(database, [1]);
    await expect.poll(() => worker.epochs).toEqual([2]);
  });

  test("refreshes the standing when people have changed and it is too old", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1)]);
    const worker = startWork(database, { standingMaxAgeMs: 0 });
    await expect.poll(() => worker.epochs).toEqual([2]);
    expect(await findCurrentEpoch(database)).toMatchObject({ epoch: 2, total: 1 });
    expect(await findStandingDelay(database, 0)).toBeNull();
  });

  test("refreshes the standing at once when a person was removed from it", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1), person(2)]);
    await refreshStanding(database);
    const worker = startWork(database);
    await hide(database, [1]);
    await expect.poll(() => worker.epochs).toEqual([3]);
    expect(await findCurrentEpoch(database)).toMatchObject({ total: 1 });
  });

  test("wakes up for a request of a holder, and hides the person", async () => {
    const { database } = await testDatabase();
    const ada = evmWallet("ada");
    await savePeople(database, [person(1, { main_wallet: ada.address })]);
    const worker = startWork(database, { pollMs: HOUR_MS });
    await expect.poll(() => findListener(database)).not.toBeNull();
    const requests = openHolderRequests(database);
    const request = signRequest(ada, "hide");
    await requests.enqueue(request);
    expect(await requests.awaitState(request.code)).toMatchObject({ state: "done" });
    expect(await findState(database, 1)).toMatchObject({ hidden_by_holder: true });
    expect(worker.failures).toEqual([]);
  });

  test("until done: refreshes the standing once", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [scored(1), scored(2), scored(3)]);
    const epochs: number[] = [];
    const events = {
      usageRetentionDays: 400,
      holders: HOLDERS_ON,
      onRequests: () => {},
      onStanding: ({ epoch }: { epoch: number }) => epochs.push(epoch),
      onFailure: (job: string, error: unknown) => expect.unreachable(`${job}: ${error}`),
      refreshStanding: () => refreshStanding(database),
    };
    await workUntilDone(database, events);
    await workUntilDone(database, events);
    expect(epochs).toEqual([2]);
  });
});

describe("findStandingDelay", async () => {
  const { database } = await testDatabase();
  await savePeople(database, [person(1)]);
  await refreshStanding(database);
  afterEach(() => {
    vi.useRealTimers();
  });
  /** The delay for a standing of this age and build time, to a minute. */
  const delayAt = async (ageMs: number, buildMs: number) => {
    await database.query(
      "update standing_epoch set build_ms = $1, built_at = clock_timestamp() - $2 * interval '1 millisecond'",
      [buildMs, ageMs],
    );
    const delayMs = await findStandingDelay(database, HOUR_MS);
    return delayMs === null ? null : Math.ceil(delayMs / 60_000) * 60_000;
  };

  test("returns null while nobody has changed, whatever the age", async () => {
    expect(await delayAt(10 * HOUR_MS, 10)).toBeNull();
  });

  test("returns the time until the maximum age, and at least four times the build time", async () => {
    await savePeople(database, [person(2)]);
    expect(await delayAt(HOUR_MS - 60_000, 10)).toBe(60_000);
    expect(await delayAt(HOUR_MS, 10)).toBe(0);
    expect(await delayAt(HOUR_MS, HOUR_MS / 2)).toBe(1.5 * HOUR_MS);
    // The clock of the worker does not matter.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - HOUR_MS });
    expect(await delayAt(HOUR_MS, 10)).toBe(0);
  });
});
