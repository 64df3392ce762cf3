import { PassportCredentials, PassportList, SinglePassport } from "@credence/contract/answers.ts";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { afterAll, describe, expect, test } from "vitest";
import { anyBatch, doubleSlashes, FILTERS, fuzzedPeople } from "#testing/any-request.ts";
import { connectTo, type V1Response } from "#testing/connect-to.ts";
import { scaled } from "#testing/scale.ts";
import { serving } from "#testing/serving.ts";
import { expectSomeError, expectV1Headers } from "#testing/v1-shape.ts";

const BATCHES = scaled(1_000, 100);

const VALID = {
  list: Compile(PassportList),
  single: Compile(SinglePassport),
  credentials: Compile(PassportCredentials),
};

describe("random requests", async () => {
  const { address, logs } = await serving(fuzzedPeople);
  const { send, close } = connectTo(address);
  afterAll(close);

  function check(method: string, path: string, response: V1Response): void {
    expectV1Headers(response);
    // The 404 of a person is sent for one segment below the passports only, and no filter gets the list.
    if (response.status === 404) expect(path).toMatch(/^\/+(passports\/+[^/?]*\/*)?(\?|$)/);
    if (
      /^\/passports(\?|$)/.test(path) &&
      FILTERS.some((name) => path.includes(`?${name}=`) || path.includes(`&${name}=`))
    ) {
      expect([400, 401, 405, 204], path).toContain(response.status);
    }
    if (response.status >= 500) expect.fail(`${method} ${path}: ${response.status}, ${logs.at(-1)}`);
    if (response.status === 204 || response.status === 304 || method === "HEAD") {
      expect(response.body).toBe("");
    } else if (response.status === 200) {
      const body = JSON.parse(response.body);
      const kind = "passports" in body ? "list" : "passport" in body ? "single" : "credentials";
      expect(VALID[kind].Errors(body), path).toEqual([]);
    } else {
      expectSomeError(response);
    }
  }

  /** Rarely, a random header has the right ETag. */
  async function expectNotModified(
    path: string,
    headers: Record<string, string>,
    { headers: { etag = "" } }: V1Response,
    index: number,
  ): Promise<void> {
    const target = doubleSlashes("/api/v1", index) + path;
    const repeated = await send("GET", target, { ...headers, "if-none-match": etag });
    expect(repeated.status, path).toBe(304);
    check("GET", path, repeated);
  }

  test(`${20 * BATCHES} requests: no 5xx, every 200 body is valid, every error has the V1 error body`, {
    timeout: 600_000,
  }, async () => {
    const seen = new Map<number, number>();
    let requests = 0;
    await fc.assert(
      fc.asyncProperty(anyBatch, async (batch) => {
        await Promise.all(
          batch.map(async ({ method, path, headers }, index) => {
            const response = await send(method, doubleSlashes("/api/v1", index) + path, headers);
            requests += 1;
            seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
            check(method, path, response);
            if (method === "GET" && response.status === 200) await expectNotModified(path, headers, response, index);
          }),
        );
      }),
      { numRuns: BATCHES, endOnFailure: true },
    );
    expect(requests).toBe(20 * BATCHES);
    // The generators produce every common status many times.
    for (const status of [200, 204, 401, 404, 405]) {
      expect(seen.get(status), String(status)).toBeGreaterThan(BATCHES / 25);
    }
    expect(logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
