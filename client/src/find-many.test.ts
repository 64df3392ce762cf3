import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "../../service/src/demo/invent/population.ts";
import { serving } from "../../service/testing/serving.ts";
import { createClient, V1Error } from "./client.ts";
import { findMany } from "./find-many.ts";

const demo = await serving(inventDemoPeople());

/** A fetch that counts requests, and how many run at the same time. */
function countingFetch(respond: (path: string) => Response | null = () => null) {
  const paths: string[] = [];
  let running = 0;
  let most = 0;
  const counted: typeof fetch = async (url, init) => {
    const path = new URL(String(url)).pathname;
    paths.push(path);
    running += 1;
    most = Math.max(most, running);
    try {
      return respond(path) ?? (await fetch(url, init));
    } finally {
      running -= 1;
    }
  };
  return { paths, most: () => most, fetch: counted };
}

const connect = (custom: typeof fetch, options = {}) =>
  createClient({ baseUrl: demo.address, fetch: custom, timeoutMs: 120_000, etagEntries: 0, ...options });

describe("findPassports", () => {
  test("results are in order; equal references are looked up once; at most four requests run at a time", async () => {
    const { paths, most, fetch: counted } = countingFetch();
    const client = connect(counted);
    const wallet = (await createClient({ baseUrl: demo.address }).findPassport(1))?.main_wallet ?? "";
    const references = [
      3,
      1,
      "1",
      999_999,
      wallet,
      ` ${wallet.toUpperCase().replace("0X", "0x")}`,
      3,
      ...range(20, 40),
    ];
    const found = await client.findPassports(references);
    expect(found.map(({ reference }) => reference)).toEqual(references);
    expect(found.slice(0, 7).map(({ passport }) => passport?.passport_id ?? null)).toEqual([3, 1, 1, null, 1, 1, 3]);
    expect(found.every(({ error }) => error === null)).toBe(true);
    expect(paths).toHaveLength(25);
    expect(new Set(paths).size).toBe(25);
    expect(most()).toBe(4);
    expect(await client.findPassports([])).toEqual([]);
  });

  test("one failure does not lose the others", async () => {
    const { fetch: failing } = countingFetch((path) =>
      path.endsWith("/2") ? new Response("?", { status: 500 }) : null,
    );
    const found = await connect(failing).findPassports([1, 2, 1.5, 3]);
    expect(found.map(({ passport }) => passport?.passport_id)).toEqual([1, undefined, undefined, 3]);
    expect(found[1]?.error).toBeInstanceOf(V1Error);
    expect(found[2]?.error).toBeInstanceOf(RangeError);
  });

  test("after a 429 all wait as long as the server asks, and nobody is lost", async () => {
    let refused = 0;
    const { paths, fetch: limited } = countingFetch(() => {
      if (paths.length % 3 !== 0 || refused === 5) return null;
      refused += 1;
      return Response.json(
        { error: "Too many requests.", code: "rate_limited" },
        { status: 429, headers: { "Retry-After": "0" } },
      );
    });
    const found = await connect(limited, { retries: 0 }).findPassports(range(1, 30));
    expect(found.filter(({ passport }) => passport === null)).toEqual([]);
    expect(refused).toBe(5);
    expect(paths).toHaveLength(35);
  });

  test("the wait holds for all references", async () => {
    const RETRY_AFTER_MS = 200;
    const times: number[] = [];
    let refusedAt = 0;
    const find = async (reference: number) => {
      times.push(performance.now());
      if (refusedAt > 0) return reference;
      refusedAt = performance.now();
      throw new V1Error("rate_limited", "", { status: 429, retryAfterMs: RETRY_AFTER_MS });
    };
    await findMany(range(1, 9), find);
    // The three that had begun already, and then nobody until the wait was over.
    const later = times.slice(4);
    // A timer may fire a millisecond early.
    expect(Math.min(...later) - refusedAt).toBeGreaterThanOrEqual(RETRY_AFTER_MS - 2);
  });

  test("an abort rejects with the reason of the signal", async () => {
    const controller = new AbortController();
    const { fetch: counted } = countingFetch(() => {
      controller.abort(new Error("enough"));
      return null;
    });
    await expect(connect(counted).findPassports(range(1, 30), controller)).rejects.toThrow("enough");
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
