import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { createLimiter } from "../../service/src/core/http/limits/limiter.ts";
import { inventDemoPeople } from "../../service/src/demo/invent/population.ts";
import { issueKey } from "../../service/src/keys/manage/issue-key.ts";
import { testDatabase } from "../../service/testing/database.ts";
import { serving } from "../../service/testing/serving.ts";
import { type Client, type ClientOptions, createClient } from "./client.ts";
import { createPace, type Pace } from "./pace.ts";

const LIMIT = 20;
const MINUTE_MS = 60_000;

const people = inventDemoPeople();
const target = await testDatabase();
const { token } = await issueKey(target.database, { label: "t", contact: "t", expiresAt: null, pointsLimit: LIMIT });
const { address } = await serving(people, { into: target, environment: { RATE_LIMIT_ANONYMOUS: String(LIMIT) } });
const wallets = people.flatMap(({ passport }) => passport.main_wallet ?? []).slice(0, 50);

// The clock of the server goes on from its present time, and never back.
vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
vi.spyOn(performance, "now").mockImplementation(() => Date.now() - performance.timeOrigin);
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/**
 * Runs a bot on a fake clock, which is that of the server too. It stands still while a request is under
 * way, so the speed of the machine has no influence. Returns the statuses of all responses.
 */
async function runBot(options: Partial<ClientOptions>, bot: (client: Client) => Promise<void>): Promise<number[]> {
  const statuses: number[] = [];
  const underWay = new Set<Promise<unknown>>();
  const load = async (url: Parameters<typeof fetch>[0], init?: RequestInit) => {
    const response = await fetch(url, init);
    statuses.push(response.status);
    const body = await response.text();
    return Object.assign(response, { text: async () => body });
  };
  const tracked: typeof fetch = (url, init) => {
    const response = load(url, init);
    underWay.add(response);
    return response.finally(() => underWay.delete(response));
  };
  // What other tests have spent is available again.
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  let isDone = false;
  const done = bot(createClient({ baseUrl: address, fetch: tracked, ...options })).finally(() => {
    isDone = true;
  });
  // It is awaited below.
  done.catch(() => {});
  while (!isDone) {
    await setImmediate();
    if (underWay.size > 0) await Promise.race(underWay);
    else if (!isDone) await vi.advanceTimersToNextTimerAsync();
  }
  await done;
  return statuses;
}

const shareOfRefusals = (statuses: number[]): number =>
  statuses.filter((status) => status === 429).length / statuses.length;

describe.each([
  ["with a key", { apiKey: token }],
  ["without a key", {}],
])("a limit of 20 points in 10 seconds, %s", (_, options) => {
  test("of 50 passports and their credentials a minute, at most 2 % are refused, and none is lost", async () => {
    let found = 0;
    const statuses = await runBot(options, async (client) => {
      const startedAt = Date.now();
      for (let minute = 1; minute <= 3; minute += 1) {
        const results = await client.findPassports(wallets);
        found += results.filter(({ passport }) => passport !== null).length;
        for (const wallet of wallets) await client.listCredentials(wallet);
        const restMs = startedAt + minute * MINUTE_MS - Date.now();
        expect(restMs).toBeGreaterThan(0);
        await new Promise((resolve) => setTimeout(resolve, restMs));
      }
    });
    expect(found).toBe(3 * wallets.length);
    expect(statuses.length).toBeGreaterThanOrEqual(3 * 2 * wallets.length);
    expect(shareOfRefusals(statuses)).toBeLessThanOrEqual(0.02);
  });

  test("walks through the list, searches, and sends many calls at once, without a refusal", async () => {
    const statuses = await runBot(options, async (client) => {
      const ids: number[] = [];
      for await (const { passport_id } of client.allPassports({ perPage: 50 })) ids.push(passport_id);
      expect(ids).toHaveLength(198);
      for (const keyword of ["a", "b", "c", "d"]) await client.listPassports({ keyword });
      const credentials = await Promise.all(wallets.map((wallet) => client.listCredentials(wallet)));
      expect(credentials).toHaveLength(50);
    });
    expect(shareOfRefusals(statuses)).toBe(0);
  });
});

/** The headers of a response with a limit of 20 points in `windowSeconds`. */
const limited = (remaining?: number, windowSeconds = 10): Headers =>
  new Headers({
    "ratelimit-policy": `"key";q=20;w=${windowSeconds}`,
    ...(remaining !== undefined && { ratelimit: `"key";r=${remaining};t=10` }),
  });
/** A pace after one request, whose response has these headers. */
function paceAfter(headers: Headers): Pace {
  const pace = createPace();
  pace.reserve(1);
  pace.settle(1, true, headers);
  return pace;
}

describe("the pace", () => {
  test("without a limit, or with one of a longer window than a minute, nothing waits", () => {
    for (const pace of [createPace(), paceAfter(new Headers()), paceAfter(limited(0, 86_400))]) {
      for (let count = 0; count < 1_000; count += 1) expect(pace.reserve(10)).toBe(0);
    }
  });

  test("a tenth of the limit stays in reserve; then points wait for their turn", () => {
    const pace = paceAfter(limited());
    expect(Array.from({ length: 20 }, () => pace.reserve(1))).toEqual([...Array(17).fill(0), 500, 1_000, 1_500]);
  });

  test("a client that has spent nothing can send any request", async () => {
    const pace = paceAfter(limited());
    await vi.advanceTimersByTimeAsync(500);
    expect(pace.reserve(50)).toBe(0);
  });

  test("what others spend with the same key counts, and what is still under way", () => {
    const pace = createPace();
    for (let count = 0; count < 4; count += 1) pace.reserve(1);
    pace.settle(1, true, limited(5));
    // 15 were spent, and 3 are under way.
    expect(pace.reserve(1)).toBe(500);
  });

  test("a refusal costs nothing, and says that nothing is left", () => {
    const pace = paceAfter(limited());
    pace.reserve(10);
    pace.settle(10, false, limited());
    expect(pace.reserve(17)).toBe(0);
    const other = paceAfter(limited());
    other.reserve(1);
    other.settle(1, false, limited(0));
    expect(other.reserve(1)).toBe(1_500);
  });

  test("requests that arrive up to 0.9 seconds late, each by another time, are not refused", () => {
    const request = fc.record({ points: fc.constantFrom(1, 2, 4, 10), lateMs: fc.integer({ min: 0, max: 900 }) });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 100 }), (requests) => {
        const pace = paceAfter(limited());
        const arrivals = [{ points: 1, at: Date.now() }];
        for (const { points, lateMs } of requests) {
          vi.setSystemTime(Date.now() + Math.ceil(pace.reserve(points)));
          arrivals.push({ points, at: Date.now() + lateMs });
        }
        let now = 0;
        const limiter = createLimiter(() => now);
        for (const { points, at } of arrivals.toSorted((one, other) => one.at - other.at)) {
          now = at;
          expect(limiter.admit({ address: "192.0.2.1" }, points, LIMIT).waitMs).toBe(0);
        }
      }),
    );
  });

  test("a request without a response frees its points", () => {
    const pace = paceAfter(limited());
    for (let count = 0; count < 100; count += 1) pace.reserve(1);
    for (let count = 0; count < 100; count += 1) pace.settle(1);
    expect(Array.from({ length: 18 }, () => pace.reserve(1))).toEqual([...Array(17).fill(0), 500]);
  });
});

test("an abort ends the wait, sends nothing, and frees the points", async () => {
  const statuses = await runBot({}, async (client) => {
    await client.findPassports(wallets.slice(0, 18));
    const controller = new AbortController();
    const calls = wallets.map((wallet) => client.listCredentials(wallet, controller));
    controller.abort(new Error("enough"));
    const startedAt = Date.now();
    for (const call of calls) await expect(call).rejects.toThrow("enough");
    await client.findPassport(1);
    expect(Date.now() - startedAt).toBe(500);
  });
  expect(statuses).toEqual(Array(19).fill(200));
});
