import { ErrorBody } from "@credence/contract/answers.ts";
import { ERRORS, type ErrorCode, errorBody, MISPLACED_STATUS } from "@credence/contract/errors.ts";
import { parseItem } from "structured-headers";
import { Compile } from "typebox/compile";
import { expect } from "vitest";

const isError = Compile(ErrorBody);

type Response = { status: number; headers: Record<string, string> | Headers; body?: string };

/** Checks the headers of every V1 response: deprecation date, deprecation link and CORS. */
export function expectV1Headers({ headers }: Response): void {
  const header = (name: string) => (headers instanceof Headers ? headers.get(name) : (headers[name] ?? null));
  const [deprecated] = parseItem(header("deprecation") ?? "");
  expect(deprecated).toEqual(new Date("2025-03-31T00:00:00Z"));
  expect(header("link")).toMatch(/^<https:\/\/v1\.example\/deprecation>; rel="deprecation"/);
  expect(header("access-control-allow-origin")).toBe("*");
  expect(header("access-control-expose-headers")).toContain("Deprecation");
  expect(header("content-type") ?? "application/json").toMatch(/^application\/json/);
}

/** Checks the status, body and headers of an error. */
export function expectError(response: Response & { body: string }, code: ErrorCode): void {
  const { status, body } = response;
  expect({ status, body }).toEqual({ status: ERRORS[code].status, body: errorBody(code) });
  expectV1Headers(response);
}

/** Like `expectError`, with any of the documented codes. */
export function expectSomeError(response: Response & { body: string }): void {
  const parsed: unknown = JSON.parse(response.body);
  expect(isError.Errors(parsed)).toEqual([]);
  const { code } = parsed as { code: ErrorCode };
  const isMisplaced = code === "unknown_path" && response.status === MISPLACED_STATUS;
  expectError(isMisplaced ? { ...response, status: ERRORS[code].status } : response, code);
}
