import { expect, test } from "vitest";
import { createNotifier, type Notice } from "./notices.ts";

function listen() {
  const notices: Notice[] = [];
  return { notices, notify: createNotifier((notice) => notices.push(notice)) };
}

test("dates and links are reported once, and again if they change", () => {
  const { notices, notify } = listen();
  const first = {
    deprecation: "@1743379200",
    link: '<https://v1.example/deprecation>; rel="deprecation"; type="text/html", <https://v1.example/api/v1/passports?page=2>; rel="next"',
  };
  notify(new Headers(first));
  // Another page of the list is not another notice.
  notify(new Headers({ ...first, link: first.link.replace("page=2", "page=3") }));
  notify(new Headers({ ...first, sunset: "Wed, 30 Jun 2027 00:00:00 GMT" }));
  notify(new Headers(first));
  const links = { deprecation: "https://v1.example/deprecation" };
  const deprecatedAt = new Date("2025-03-31T00:00:00Z");
  expect(notices).toEqual([
    { kind: "deprecation", deprecatedAt, sunsetAt: null, links },
    { kind: "deprecation", deprecatedAt, sunsetAt: new Date("2027-06-30T00:00:00Z"), links },
  ]);
});

test("a rate limit is reported once, and once more when little is left", () => {
  const { notices, notify } = listen();
  for (const left of [
    undefined,
    '"key";r=90;t=1',
    '"key";r=30;t=7',
    '"key";r=9;t=10',
    '"key";r=1;t=10',
    '"key";r=50;t=5',
  ]) {
    notify(new Headers({ "ratelimit-policy": '"key";q=100;w=10', ...(left && { ratelimit: left }) }));
  }
  const limit = { kind: "rate-limit", limit: 100, windowSeconds: 10 };
  expect(notices).toEqual([
    { ...limit, remaining: null, fullInSeconds: null, isLow: false },
    { ...limit, remaining: 9, fullInSeconds: 10, isLow: true },
  ]);
});

test.each([
  {},
  { deprecation: "true" },
  { deprecation: "@", sunset: "soon" },
  { sunset: "1" },
  { link: '<https://v1.example/>; rel="deprecation"' },
  { "ratelimit-policy": "100;w=60" },
  { "ratelimit-policy": '"a", "b";q=1;w=2' },
  { ratelimit: '"key";r=1;t=1' },
])("%j is no notice", (headers) => {
  const { notices, notify } = listen();
  notify(new Headers(headers as Record<string, string>));
  expect(notices).toEqual([]);
});

test("a server that changes its headers all the time is reported a limited number of times", () => {
  const { notices, notify } = listen();
  for (let index = 1; index <= 1_000; index += 1) notify(new Headers({ deprecation: `@${index}` }));
  expect(notices).toHaveLength(50);
});
