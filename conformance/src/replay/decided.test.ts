import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../client.ts";
import { markDecided } from "./decided.ts";
import { parseLine } from "./log-line.ts";
import { V1_PARAMETERS } from "./query.ts";
import { compareResponses } from "./responses.ts";

const response = (body: unknown, status = 200): HttpResponse => ({ status, headers: {}, body: JSON.stringify(body) });

/** The differences of two responses to a path: what they are, and how they are explained. */
function compare(path: string, old: HttpResponse, next: HttpResponse): string[] {
  const request = parseLine(path, new Set(V1_PARAMETERS), () => {});
  if (typeof request === "string") throw new Error(request);
  return markDecided(compareResponses(request.endpoint, old, next), request, old, next).map(
    ({ kind, field, explanation, decision = "" }) => `${kind} ${field}: ${explanation} ${decision}`.trim(),
  );
}

const item = (id: string, score: number, category = "Skills") => ({ id, category, score });
const credentials = (...passport_credentials: object[]) => response({ passport_credentials });
const [A, B, C] = [item("a", 9), item("b", 5), item("c", 5)];
const CREDENTIALS = "/api/v1/passport_credentials?passport_id=1";

describe("the order of credentials", () => {
  const order = "order of items passport_credentials";
  test("is decided if both servers have the same ones", () => {
    expect(compare(CREDENTIALS, credentials(C, A, B), credentials(A, B, C))).toEqual([
      `${order}: decided docs/API.md#get-credentials`,
    ]);
  });

  test("is real if one is missing, or if NEW has another order than documented", () => {
    expect(compare(CREDENTIALS, credentials(C, B, A), credentials(A, B))).toContain(`${order}: null`);
    expect(compare(CREDENTIALS, credentials(A, B, C), credentials(B, A, C))).toEqual([`${order}: null`]);
    expect(compare(CREDENTIALS, credentials(A, B, C), credentials(A, C, B))).toEqual([`${order}: null`]);
  });

  test("explains no value of a credential", () => {
    const differences = compare(CREDENTIALS, credentials(C, A, B), credentials(A, { ...B, max_score: 1 }, C));
    expect(differences).toContain("additional field passport_credentials[].max_score: null");
  });
});

describe("`code` in errors", () => {
  const field = "additional field code";
  const next = (error: string, status = 404) => response({ error, code: "passport_not_found" }, status);
  test("is decided if status and error are the same", () => {
    expect(
      compare("/api/v1/passports/1", response({ error: "Resource not found." }, 404), next("Resource not found.")),
    ).toEqual([`${field}: decided docs/API.md#errors`]);
  });

  test("is real with another error, with another status, and in a response that is no error", () => {
    const old = response({ error: "Resource not found." }, 404);
    expect(compare("/api/v1/passports/1", old, next("No."))).toContain(`${field}: null`);
    expect(compare("/api/v1/passports/1", old, next("Resource not found.", 400))).toEqual(["status : null"]);
    expect(compare("/api/v1/passports/1", response({ error: "a" }), response({ error: "a", code: "b" }))).toEqual([
      `${field}: null`,
    ]);
    const other = response({ error: "Resource not found.", codes: 1 }, 404);
    expect(compare("/api/v1/passports/1", old, other)).toEqual(["additional field codes: null"]);
  });
});

const page = (people: number, current_page: number, last_page = 4) =>
  response({
    passports: Array.from({ length: people }, (_, at) => ({ passport_id: at + 1 })),
    pagination: { current_page, last_page, total: 100 },
  });

describe("parameters of the list that are out of range", () => {
  test.each(["page=0", "page=-1", "page=abc", "page=", "page=2&page=0"])(
    "%s is decided if NEW sends the first page",
    (query) => {
      const differences = compare(`/api/v1/passports?${query}`, page(0, 0), page(25, 1));
      expect(differences.length).toBeGreaterThan(0);
      expect(differences.every((text) => text.endsWith(": decided docs/API.md#quirks"))).toBe(true);
      expect(compare(`/api/v1/passports?${query}`, response({ error: "x" }, 500), page(25, 1))).toEqual([
        "status : decided docs/API.md#quirks",
      ]);
    },
  );

  test("is real if NEW sends another page or no page, and for a page within the range", () => {
    expect(compare("/api/v1/passports?page=0", page(25, 1), page(25, 0))).toEqual([
      "value pagination.current_page: null",
    ]);
    expect(compare("/api/v1/passports?page=0", page(25, 1), response({ error: "x" }, 400))).toEqual(["status : null"]);
    expect(compare("/api/v1/passports?page=2", response({ error: "x" }, 500), page(25, 1))).toEqual(["status : null"]);
    expect(compare("/api/v1/passports?page=0&page=2", page(25, 2), page(25, 1))).toEqual([
      "value pagination.current_page: null",
    ]);
  });

  test.each([
    ["per_page=0", 1],
    ["per_page=-5", 1],
    ["per_page=1000", 100],
    ["per_page=many", 25],
  ])("%s is decided if NEW sends %i people", (query, size) => {
    const path = `/api/v1/passports?${query}`;
    const differences = compare(path, page(10, 1), page(size, 1));
    expect(differences.length).toBeGreaterThan(0);
    expect(differences.every((text) => text.endsWith(": decided docs/API.md#quirks"))).toBe(true);
    expect(compare(path, page(10, 1), page(size + 1, 1)).every((text) => text.endsWith(": null"))).toBe(true);
  });

  test("a size within the range explains nothing", () => {
    const differences = compare("/api/v1/passports?per_page=10", page(10, 1), page(25, 1));
    expect(differences.length).toBeGreaterThan(0);
    expect(differences.every((text) => text.endsWith(": null"))).toBe(true);
  });
});
