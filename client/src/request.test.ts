import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClient } from "./client.ts";

const START = new Date("2026-11-16T12:00:00Z").getTime();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const TEXT = '{"error":"Later.","code":"unavailable"}';
// A body that needs no other timers than those that are faked.
const refuse = (headers: Record<string, string> = {}) =>
  Object.assign(new Response(null, { status: 503, headers }), { text: async () => TEXT });
const drop = () => Promise.reject(new TypeError("fetch failed"));

/** When a call sends its requests, in milliseconds after its start. */
async function timesOf(respond: () => Response | Promise<Response>, random: number, retries = 3, timeoutMs = 60_000) {
  vi.spyOn(Math, "random").mockReturnValue(random);
  const times: number[] = [];
  const fetch = async () => {
    times.push(Date.now() - START);
    return respond();
  };
  const client = createClient({ baseUrl: "http://v1.example", fetch, retries, timeoutMs });
  const call = client.findPassport(1).catch(() => {});
  await vi.runAllTimersAsync();
  await call;
  return times;
}

test.each([
  [0, 1],
  [0.5, 1.5],
  [0.996, 1.996],
])("waits twice as long each time; the random number %d makes it %d times as long", async (random, factor) => {
  expect(await timesOf(drop, random)).toEqual([0, 250 * factor, 750 * factor, 1_750 * factor].map(Math.trunc));
});

test("never waits less than Retry-After, and at most a second more", async () => {
  expect(await timesOf(() => refuse({ "retry-after": "5" }), 0)).toEqual([0, 5_000, 10_000, 15_000]);
  vi.setSystemTime(START);
  expect(await timesOf(() => refuse({ "retry-after": "5" }), 0.999, 1)).toEqual([0, 5_999]);
  vi.setSystemTime(START);
  const date = new Date(START + 7_000).toUTCString();
  expect(await timesOf(() => refuse({ "retry-after": date }), 0, 1)).toEqual([0, 7_000]);
});

test("does not wait beyond the timeout, whatever the number of retries", async () => {
  expect(await timesOf(refuse, 0, 1_000, 4_000)).toEqual([0, 250, 750, 1_750, 3_750]);
});

test("an error of onNotice rejects the call, and is not repeated as a network failure", async () => {
  const fetch = vi.fn(async () => Response.json({}, { headers: { deprecation: "@1" } }));
  const onNotice = () => {
    throw new Error("from the callback");
  };
  const client = createClient({ baseUrl: "http://v1.example", fetch, onNotice });
  await expect(client.findPassport(1)).rejects.toThrow("from the callback");
  expect(fetch).toHaveBeenCalledTimes(1);
});
