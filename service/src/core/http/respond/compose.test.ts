import { describe, expect, test } from "vitest";
import { lifeCycle } from "#life-cycle/state-and-headers.ts";
import { composer, type RequestInfo } from "./compose.ts";
import { type Content, JSON_TYPE } from "./content.ts";
import { errorContent } from "./errors.ts";

const sunset = Date.now() - 1_000;
const calendar = {
  deprecatedAt: new Date(0),
  sunsetAt: new Date(sunset),
  brownouts: [],
  docsUrl: "https://docs.example/",
  successorUrl: null,
};
const request: RequestInfo = {
  requestId: "r1",
  keyId: null,
  hasKey: false,
  ifNoneMatch: undefined,
  headers: [],
  limit: null,
  closes: false,
};
const answer: Content = { status: 200, body: "{}", type: JSON_TYPE, etag: 'W/"a"', caching: "answer", isV1: true };

const headersOf = (headers: readonly string[]): Record<string, string> =>
  Object.fromEntries(headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""]] : [])));

describe("compose", () => {
  const compose = composer(() => lifeCycle(calendar, Date.now()), "optional");

  test("lets no cache keep an answer that was requested before the sunset and is sent after it", () => {
    const { headers } = compose(answer, request);
    expect(headersOf(headers)["cache-control"]).toBe("public, max-age=0, stale-while-revalidate=0, stale-if-error=0");
    expect(headersOf(compose(answer, { ...request, keyId: "k" }).headers)["cache-control"]).toBe("private, max-age=0");
    expect(headersOf(compose(errorContent("not_found"), request).headers)["cache-control"]).toBe("public, max-age=0");
  });

  test("sends no 304 that lets a cache renew its copy across a change", () => {
    const conditional = { ...request, ifNoneMatch: 'W/"a"' };
    const at = (seconds: number) =>
      composer(
        () => lifeCycle(calendar, 0),
        "optional",
        () => sunset - seconds * 1_000,
      );
    const statuses = (info: RequestInfo) =>
      [7_322, 7_321, 100, 0, -1].map((seconds) => at(seconds)(answer, info).status);
    expect(statuses(conditional)).toEqual([304, 200, 200, 200, 200]);
    // No shared cache stores these.
    expect(new Set(statuses({ ...conditional, keyId: "k" }))).toEqual(new Set([304]));
  });

  test("adds the headers of a single request to answers, 304 and errors", () => {
    const limited = { ...request, headers: ["ratelimit", "limit=1"], closes: true };
    for (const content of [answer, errorContent("unavailable")]) {
      expect(headersOf(compose(content, limited).headers)).toMatchObject({ ratelimit: "limit=1", connection: "close" });
    }
    const endless = composer(() => lifeCycle({ ...calendar, sunsetAt: null }, 0), "optional");
    const unmodified = endless(answer, { ...limited, ifNoneMatch: 'W/"a"' });
    expect(unmodified).toMatchObject({ status: 304, body: null });
    expect(headersOf(unmodified.headers)).toMatchObject({ ratelimit: "limit=1", etag: 'W/"a"' });
    expect(unmodified.headers).not.toContain("content-length");
  });

  test("joins the Link entries of a page and of the life cycle", () => {
    const { headers } = compose({ ...answer, links: '<https://v1.example/?page=2>; rel="next"' }, request);
    expect(headersOf(headers).link).toBe(
      '<https://docs.example/>; rel="deprecation"; type="text/html", <https://docs.example/>; rel="sunset"; type="text/html", <https://v1.example/?page=2>; rel="next"',
    );
  });
});
