import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openMatrix } from "../testing/browser-matrix.ts";
import { startFaultServer } from "../testing/fault-server.ts";
import { CALLS, type Outcome, runCall } from "../testing/matrix.ts";

const golden = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../contract/golden/${name}.json`, import.meta.url), "utf8"));
const passport1 = {
  ...golden("passport-1").passport,
  passport_socials: golden("passport-1").passport.passport_socials.map((social: object, index: number) => ({
    ...social,
    ...([{ followers: 1024, following: 128 }][index] ?? { followers: null, following: null }),
  })),
};
const found: Outcome = { value: passport1 };
const failure = (code: string, status: number | null, more: object = {}) => ({
  failure: { code, status, retryAfterMs: null, requestId: status === null ? null : `id-${code}`, ...more },
});
const unexpected = (status: number, more: object = {}) =>
  failure("unexpected_response", status, { requestId: null, ...more });
const aborted = { rejection: expect.stringMatching(/^AbortError/) };

// On a slow machine, the time ends before the request is sent.
const atMostOne: number = expect.toBeOneOf([0, 1]);

/** For each call: what becomes of it, and how many requests it sends. */
const EXPECTED: Record<keyof typeof CALLS, [outcome: object, requests: number]> = {
  found: [found, 1],
  "null fields": [{ value: golden("passport-2").passport }, 1],
  "no passport": [{ value: null }, 1],
  "a page with status 404": [unexpected(404), 1],
  "another 404": [unexpected(404), 1],
  "429 once": [found, 2],
  "429": [failure("rate_limited", 429, { retryAfterMs: 0 }), 3],
  "429 without retries": [failure("rate_limited", 429, { retryAfterMs: 0 }), 1],
  // An hour does not fit into the timeout, so the call fails at once.
  "429 for an hour": [failure("rate_limited", 429, { retryAfterMs: 3_600_000 }), 1],
  "503 once": [found, 2],
  "503": [failure("unavailable", 503, { retryAfterMs: 0 }), 3],
  "a page with status 503": [unexpected(503, { retryAfterMs: 0 }), 3],
  "410 in a brownout": [failure("brownout", 410, { retryAfterMs: 60_000 }), 1],
  "410 after the sunset": [failure("gone", 410), 1],
  "401": [failure("unauthorized", 401), 1],
  "500": [failure("internal", 500), 1],
  "a page with status 200": [unexpected(200), 1],
  "a passport that is missing in a 200": [unexpected(200), 1],
  "a list that is missing in a 200": [unexpected(200), 1],
  "credentials that are missing in a 200": [unexpected(200), 1],
  "no list": [unexpected(404), 1],
  "a dropped connection": [found, 2],
  // A browser repeats a request by itself on a connection that it had opened ahead.
  "dropped connections": [failure("network", null), expect.toBeOneOf([3, 4, 5, 6])],
  // A browser does not reveal the status of a redirect.
  "a redirect": [unexpected(expect.toBeOneOf([0, 302])), 1],
  "a timeout before the response": [failure("timeout", null), atMostOne],
  "a timeout in the body": [failure("timeout", null), atMostOne],
  "an abort before the response": [aborted, atMostOne],
  "an abort in the body": [aborted, atMostOne],
  "an abort before a retry": [aborted, atMostOne],
  "an abort with a reason": [{ rejection: "Error: closed" }, atMostOne],
  "an abort before the call": [aborted, 0],
  "an ETag": [{ value: [passport1, passport1] }, 2],
  "the default for ETags": [
    {
      value: expect.toBeOneOf([
        { isPage: false, tags: [null, 'W/"1"'] },
        { isPage: true, tags: [null, null] },
      ]),
    },
    2,
  ],
};

test("every call of the matrix has an expectation", () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(CALLS).sort());
});

describe.each([
  ["Node", async () => runCall],
  ["Chromium, with the published file", openMatrix],
] as const)("in %s", async (_, open) => {
  const run = await open();
  const { origin, countRequests } = await startFaultServer();
  // All at once: some calls wait.
  const outcomes = new Map(
    await Promise.all(Object.keys(CALLS).map(async (name) => [name, await run(name, origin)] as const)),
  );

  test.each(Object.entries(EXPECTED))("%s", (name, [outcome, requests]) => {
    expect(outcomes.get(name)).toEqual(outcome);
    expect(countRequests(name)).toEqual(requests);
  });
});
