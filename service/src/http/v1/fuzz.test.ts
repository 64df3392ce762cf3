import { Agent, request } from "node:http";
import { PassportCredentials, PassportList, SinglePassport } from "@credence/contract/answers.ts";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { afterAll, describe, expect, test } from "vitest";
import { inventDemoPeople } from "#invent/demo.ts";
import { scaled } from "#testing/scale.ts";
import { serving } from "#testing/serving.ts";
import { expectSomeError, expectV1Headers } from "#testing/v1-shape.ts";

const BATCHES = scaled(1_000, 100);

type V1Response = { status: number; headers: Record<string, string>; body: string };

const VALID = {
  list: Compile(PassportList),
  single: Compile(SinglePassport),
  credentials: Compile(PassportCredentials),
};

const people = inventDemoPeople();
const wallets = people.flatMap(({ passport }) => passport.verified_wallets);
const names = people.flatMap(({ passport }) => passport.passport_profile.display_name ?? []);

// Parts of a URL: mostly valid, often unusual, sometimes bytes that are not valid UTF-8.
const anyBytes = fc
  .array(fc.integer({ min: 0, max: 255 }), { maxLength: 12 })
  .map((bytes) => bytes.map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
const anyText = fc
  .string({ unit: "binary", maxLength: 30 })
  .filter((text) => text.isWellFormed())
  .map(encodeURIComponent);
const anyAscii = fc.stringMatching(/^[!-"$->@-~]{0,30}$/);
const anyNumber = fc
  .oneof(
    fc.integer({ min: -3, max: 250 }).map(String),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.double().map(String),
    fc.constantFrom("1e3", "0x10", "1.0", "+1", "007", "%201", "９", ""),
  )
  .map(encodeURI);
const anyId = fc.oneof(
  { weight: 4, arbitrary: anyNumber },
  { weight: 3, arbitrary: fc.constantFrom(...wallets) },
  { weight: 1, arbitrary: fc.constantFrom(...wallets).map((wallet) => wallet.toUpperCase()) },
  anyText,
  anyAscii,
  anyBytes,
);
const anyKeyword = fc.oneof(
  fc
    .constantFrom(...names)
    .chain((name) =>
      fc
        .tuple(fc.nat(name.length), fc.nat(name.length))
        .map(([a, b]) => encodeURIComponent(name.slice(Math.min(a, b), Math.max(a, b)).toWellFormed())),
    ),
  anyText,
  anyBytes,
  fc.constantFrom("a", "%25", "_", "%5C", "%00", "%20"),
);
const anyQuery = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom("page", "per_page"), anyNumber),
      fc.tuple(fc.constant("keyword"), anyKeyword),
      fc.tuple(fc.constant("passport_id"), anyId),
      fc.tuple(anyAscii, anyText),
      fc.tuple(fc.constantFrom("api_key", "__proto__[x]", "keyword[]", "page[a][b]"), anyText),
    ),
    { maxLength: 5 },
  )
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`));
const anyPath = fc.oneof(
  { weight: 5, arbitrary: fc.constant("/api/v1/passports") },
  { weight: 8, arbitrary: anyId.map((id) => `/api/v1/passports/${id}`) },
  { weight: 5, arbitrary: fc.constant("/api/v1/passport_credentials") },
  { weight: 1, arbitrary: fc.tuple(anyAscii, anyBytes).map(([a, b]) => `/api/v1/${a}${b}`) },
  { weight: 1, arbitrary: anyId.map((id) => `//api///v1/passports/${id}//`) },
);
const anyMethod = fc.oneof(
  { weight: 12, arbitrary: fc.constant("GET") },
  fc.constantFrom("HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "PURGE"),
);
const headerValue = fc.stringMatching(/^[!-~]{0,40}$/);
const anyHeaders = fc.dictionary(
  fc.constantFrom(
    "if-none-match",
    "accept",
    "accept-encoding",
    "origin",
    "x-forwarded-for",
    "x-request-id",
    "range",
    "expect",
    "content-type",
    "cookie",
    "authorization",
    "if-modified-since",
  ),
  fc.oneof(
    headerValue,
    fc.constantFrom("*", 'W/"x", "y"', "bytes=0-1", "gzip;q=0", "application/json", "1.1.1.1, 2.2.2.2"),
  ),
  { maxKeys: 3 },
);
const anyKey = fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, headerValue);

describe("random requests", async () => {
  const { address, logs } = await serving(people);
  const { hostname, port } = new URL(address);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  afterAll(() => agent.destroy());

  function send(method: string, path: string, headers: Record<string, string>): Promise<V1Response> {
    const { promise, resolve, reject } = Promise.withResolvers<V1Response>();
    const clientRequest = request(
      { hostname, port, agent, method, path, headers, insecureHTTPParser: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk) => chunks.push(chunk));
        incoming.on("end", () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers as Record<string, string>,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    clientRequest.on("error", reject);
    clientRequest.end();
    return promise;
  }

  function check(method: string, path: string, response: V1Response): void {
    expectV1Headers(response);
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

  test(`${20 * BATCHES} requests: no 5xx, every 200 body is valid, every error has the V1 error body`, {
    timeout: 600_000,
  }, async () => {
    const seen = new Map<number, number>();
    let requests = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyMethod, anyPath, anyQuery, anyHeaders, anyKey), { minLength: 20, maxLength: 20 }),
        async (batch) => {
          await Promise.all(
            batch.map(async ([method, path, query, headers, key]) => {
              const response = await send(method, path + query, {
                ...headers,
                ...(key !== undefined && { "x-api-key": key }),
              });
              requests += 1;
              seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
              check(method, path + query, response);
            }),
          );
        },
      ),
      { numRuns: BATCHES, endOnFailure: true },
    );
    expect(requests).toBe(20 * BATCHES);
    // The generators produce every common status many times.
    for (const status of [200, 204, 304, 401, 404, 405]) {
      expect(seen.get(status), String(status)).toBeGreaterThan(BATCHES / 25);
    }
    expect(logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
