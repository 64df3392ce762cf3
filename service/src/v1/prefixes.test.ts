import { afterAll, describe, expect, test } from "vitest";
import { fuzzedPeople } from "#testing/any-request.ts";
import { comparePrefixes, SECOND_PREFIX } from "#testing/compare-prefixes.ts";
import { connectTo } from "#testing/connect-to.ts";
import { scaled } from "#testing/scale.ts";
import { serveDatabase, serving } from "#testing/serving.ts";

const BATCHES = scaled(1_000, 50);
const environment = { V1_ALSO_AT: `${SECOND_PREFIX}, /old`, CACHE_MAX_AGE: "30s" };

describe("V1 under further prefixes", async () => {
  const { address, privateAddress, name } = await serving(fuzzedPeople, { environment });
  const { send, close } = connectTo(address);
  afterAll(close);

  test(`${20 * BATCHES} requests get the same response under both prefixes, and links to their own`, {
    timeout: 600_000,
  }, async () => {
    const seen = await comparePrefixes(send, BATCHES);
    for (const status of [200, 204, 304, 401, 404, 405]) {
      expect(seen.get(status), String(status)).toBeGreaterThan(0);
    }
  });

  test("on warm caches, a page under one prefix never links to the other", async () => {
    for (let index = 0; index < 50; index += 1) {
      const pages = await Promise.all(
        ["/api/v1", "/old", SECOND_PREFIX].map(async (prefix) => {
          const { headers, body } = await send("GET", `${prefix}/passports?page=2&per_page=10`, {});
          const targets = [...(headers.link ?? "").matchAll(/<([^>]+)>; rel="(?:first|prev|next|last)"/g)];
          expect(targets.map(([, url]) => new URL(url as string).pathname)).toEqual(
            Array.from({ length: 4 }, () => `${prefix}/passports`),
          );
          return `${headers.etag} ${body}`;
        }),
      );
      expect(new Set(pages).size).toBe(1);
    }
  });

  test("requests are counted as the three endpoints", async () => {
    const counted = async () => {
      const text = await (await fetch(`${privateAddress}/metrics`)).text();
      return Number(
        /credence_http_requests_total\{route="\/api\/v1\/passports\/:id",status="200"\} (\d+)/.exec(text)?.[1],
      );
    };
    const before = await counted();
    await send("GET", "/old/passports/1", {});
    await send("GET", "/api/v1/passports/1", {});
    expect((await counted()) - before).toBe(2);
    expect(await (await fetch(`${privateAddress}/metrics`)).text()).not.toMatch(/route="\/old/);
  });

  test("the life cycle, limits and keys apply under every prefix", async () => {
    const gone = await serveDatabase(name, { environment: { ...environment, V1_SUNSET_AT: "2026-01-01" } });
    for (const prefix of ["/api/v1", SECOND_PREFIX, "/old"]) {
      expect((await fetch(`${gone.address}${prefix}/passports/1`)).status).toBe(410);
    }
    const limited = await serveDatabase(name, { environment: { ...environment, RATE_LIMIT_ANONYMOUS: "20" } });
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const prefix = index % 2 === 0 ? "/api/v1" : SECOND_PREFIX;
        return (await fetch(`${limited.address}${prefix}/passports/1`)).status;
      }),
    );
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10);
  });

  test("the documents name the other paths in one sentence", async () => {
    const sentence = /also at .*\/old-api\/v2.*\/old.*not another version/;
    for (const path of ["/docs", "/docs.md", "/llms.txt", "/deprecation"]) {
      expect(await (await fetch(address + path)).text(), path).toMatch(sentence);
    }
    const { info } = (await (await fetch(`${address}/openapi.json`)).json()) as { info: { description: string } };
    expect(info.description).toMatch(sentence);
    expect(await (await fetch(`${address}/deprecation.json`)).json()).toMatchObject({
      also_at: [SECOND_PREFIX, "/old"],
    });
  });
});
