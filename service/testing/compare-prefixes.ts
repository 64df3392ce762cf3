import fc from "fast-check";
import { expect } from "vitest";
import { anyBatch, doubleSlashes } from "./any-request.ts";
import type { Connection, V1Response } from "./connect-to.ts";

/** The second is longer, and is not that of a version. */
const PREFIXES = ["/api/v1", "/old-api/v2"] as const;
export const SECOND_PREFIX = PREFIXES[1];

/** Headers that differ between any two requests. */
const VARYING = ["date", "x-request-id", "x-cache", "ratelimit", "age"];

/**
 * Sends generated requests under two prefixes at the same time, in batches of 20. They must get the
 * same response, except for page links, which name the prefix that was requested.
 */
export async function comparePrefixes(send: Connection["send"], batches: number): Promise<Map<number, number>> {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(anyBatch, async (batch) => {
      await Promise.all(
        batch.map(async ({ method, path, headers }, index) => {
          const [first, second] = await Promise.all(
            PREFIXES.map((prefix) => send(method, doubleSlashes(prefix, index) + path, headers)),
          );
          expectSame(`${method} ${path}`, first as V1Response, second as V1Response);
          const { status } = first as V1Response;
          seen.set(status, (seen.get(status) ?? 0) + 1);
        }),
      );
    }),
    { numRuns: batches, endOnFailure: true },
  );
  return seen;
}

function expectSame(request: string, first: V1Response, second: V1Response): void {
  const [left, right] = [comparable(first), comparable(second)];
  expect({ ...right, link: right.link.replaceAll(`${PREFIXES[1]}/`, `${PREFIXES[0]}/`) }, request).toEqual(left);
  expect(left.link, request).not.toContain(`${PREFIXES[1]}/`);
  expect(right.link, request).not.toContain(`${PREFIXES[0]}/`);
}

function comparable({ status, headers, body }: V1Response) {
  const { link = "", ...others } = headers;
  const same = Object.fromEntries(Object.entries(others).filter(([name]) => !VARYING.includes(name)));
  return { status, body, link, headers: same };
}
