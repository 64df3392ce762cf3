import { ErrorBody } from "@credence/contract/answers.ts";
import { ERRORS, type ErrorCode, errorBody } from "@credence/contract/errors.ts";
import { parseItem } from "structured-headers";
import { Compile } from "typebox/compile";
import { expect } from "vitest";

const isError = Compile(ErrorBody);

type Answer = { status: number; headers: Record<string, string> | Headers; body?: string };

/** What every V1 answer carries, whatever its status: a valid deprecation date, its link, and leave for any page to read it. */
export function expectV1Headers(answer: Answer): void {
  const header = (name: string) =>
    answer.headers instanceof Headers ? answer.headers.get(name) : (answer.headers[name] ?? null);
  const [deprecated] = parseItem(header("deprecation") ?? "");
  expect(deprecated).toEqual(new Date("2025-03-31T00:00:00Z"));
  expect(header("link")).toMatch(/^<https:\/\/v1\.example\/docs>; rel="deprecation"/);
  expect(header("access-control-allow-origin")).toBe("*");
  expect(header("access-control-expose-headers")).toContain("Deprecation");
  expect(header("content-type") ?? "application/json").toMatch(/^application\/json/);
}

/** The one shape of errors, with the status that belongs to its code. */
export function expectError(answer: Answer & { body: string }, code: ErrorCode): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status: ERRORS[code].status, body: errorBody(code) });
  expectV1Headers(answer);
}

/** Any error of the closed list. */
export function expectSomeError(answer: Answer & { body: string }): void {
  const parsed: unknown = JSON.parse(answer.body);
  expect(isError.Errors(parsed)).toEqual([]);
  expectError(answer, (parsed as { code: ErrorCode }).code);
}
