import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startServing } from "../../service/testing/command.ts";
import { createClock } from "../../service/testing/fake-clock.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { person } from "../../service/testing/people.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { relayTo } from "../../service/testing/relay.ts";
import { SERVE_ROLE, urlOf } from "../../service/testing/server.ts";
import { serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";

const START = Date.parse("2031-01-10T15:00:00Z");
const END = Date.parse("2031-01-10T15:05:00Z");
const SUNSET = Date.parse("2031-03-03T12:00:00Z");
const iso = (time: number): string => new Date(time).toISOString();

/** Ages of copies at a change, in seconds: fresh, at the edge, stale, and close to the change. */
const AGES = [4_000, 3_661, 3_600, 121, 120, 61, 60, 59, 30, 10, 5, 4, 3, 2, 1];

/** The server and nginx share a stopped clock, so that nothing depends on how long the test takes. */
const ANNOUNCED = expect.stringMatching(/^V1 ends (?:in \d+ days?|within a day)$/);

describe("behind nginx, no response is served across a change", async () => {
  const { name } = await serving([person(1)]);

  async function deploy() {
    const folder = testFolder();
    const clock = createClock(join(testFolder(), "clock"));
    const setTime = (time: number) => clock.stopAt(new Date(time));
    setTime(START - 86_400_000);
    const { address } = await startServing({
      ...clock.environment,
      DATABASE_URL: urlOf(name, SERVE_ROLE),
      PUBLIC_URL: "https://api.example.org",
      TRUSTED_PROXIES: "127.0.0.1",
      V1_SUNSET_AT: iso(SUNSET),
      V1_BROWNOUTS: `${iso(START)}/${iso(END)}`,
    });
    const relay = await relayTo(address);
    const proxy = await startProxy(folder, [relay.through(address)], { clock });
    whenDone(proxy.stop);
    const get = async (path: string): Promise<string> => {
      const { status, headers } = await proxy.send(path);
      return `${status} ${headers["x-cache"] ?? "none"}`;
    };
    return { proxy, relay, setTime, get };
  }

  const pathsAt = (age: number): string[] => [`/api/v1/passports/1?age=${age}`, `/api/v1/passports/2?age=${age}`];

  test.each([
    ["a brownout", START, "brownout"],
    ["the sunset", SUNSET, "gone"],
  ])("copies of any age end before %s, also while no node responds", async (_, change, code) => {
    const { proxy, relay, setTime, get } = await deploy();
    for (const age of AGES) {
      setTime(change - age * 1_000);
      const [found = "", missing = ""] = pathsAt(age);
      expect([await get(found), await get(missing)]).toEqual(["200 MISS", "404 MISS"]);
      // Nearer to the change, the copy expires at once.
      if (age > 5) expect(await get(found)).toBe("200 HIT");
    }
    const paths = AGES.flatMap(pathsAt);
    relay.set("cut");
    for (const seconds of [0, 1, 59, 61, 121]) {
      setTime(change + seconds * 1_000);
      for (const path of paths) expect(await get(path), path).toBe("503 none");
    }
    relay.set("pass");
    for (const seconds of [0, 1, 59, 61, 121]) {
      setTime(change + seconds * 1_000);
      for (const path of paths) {
        const { status, body } = await proxy.send(path);
        expect([status, JSON.parse(body).code], path).toEqual([410, code]);
      }
    }
  });

  test("a copy that is revalidated just before a change is not renewed across it", async () => {
    const { relay, setTime, get } = await deploy();
    const ages = [100, 70, 62];
    const moments = [20, 5, 4, 3, 2, 1];
    const copies = ages.flatMap((age) =>
      moments.map((moment) => ({ age, moment, path: `/api/v1/passports/1?${age}-${moment}` })),
    );
    for (const { age, path } of copies) {
      setTime(START - age * 1_000);
      expect(await get(path)).toBe("200 MISS");
    }
    for (const { moment, path } of copies) {
      setTime(START - moment * 1_000);
      expect(await get(path)).toMatch(/^200 /);
    }
    setTime(START);
    for (const { path } of copies) expect(await get(path), path).toMatch(/^410 /);
    relay.set("cut");
    for (const { path } of copies) expect(await get(path), path).toBe("503 none");
  });

  test("nginx never sends a response that a client may cache across a change", async () => {
    const { proxy, relay, setTime } = await deploy();
    const lastMinutes = Array.from({ length: 200 }, (_, index) => 200 - index);
    const seen = new Set<string>();
    for (const seconds of [20_000, 7_400, 7_330, 7_322, 7_321, 7_300, 5_000, 3_700, 1_900, 900, 400, ...lastMinutes]) {
      setTime(START - seconds * 1_000);
      // Sometimes no node responds, and nginx serves stale copies.
      relay.set(seconds % 7 === 0 ? "cut" : "pass");
      for (const path of ["/api/v1/passports/1", "/api/v1/passports", "/deprecation"]) {
        const { status, headers } = await proxy.send(path);
        const times = [...(headers["cache-control"] ?? "").matchAll(/=(\d+)/g)].map(([, time]) => Number(time));
        const [maxAge = 0, ...stale] = times;
        expect(maxAge + Math.max(0, ...stale), `${path} ${seconds} s before`).toBeLessThan(seconds);
        seen.add(`${status} ${headers["x-cache"]}`);
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(["200 MISS", "200 HIT", "200 STALE", "200 EXPIRED"]));
  });

  test("a 410 of a brownout ends with it", async () => {
    const { proxy, setTime, get } = await deploy();
    const path = "/api/v1/passports/1";
    for (const time of [START, START + 60_000, END - 1_000]) {
      setTime(time);
      const { status, headers } = await proxy.send(path);
      expect([status, headers["retry-after"]]).toEqual([410, String((END - time) / 1_000)]);
    }
    setTime(END);
    expect(await get(path)).toMatch(/^200 /);
    expect(await get(path)).toBe("200 HIT");
  });

  test("the deprecation notice shows the state on both sides of a change", async () => {
    const { proxy, setTime } = await deploy();
    const at = async (time: number) => {
      setTime(time);
      const pages = await Promise.all(["/deprecation", "/deprecation.json"].map((path) => proxy.send(path)));
      return pages.map(({ body }) => /<h1>(.*)<\/h1>|"state": "(.*)"/.exec(body)?.slice(1).join(""));
    };
    for (const seconds of [200, 100, 5, 3, 1]) {
      expect(await at(START - seconds * 1_000)).toEqual([ANNOUNCED, "announced"]);
    }
    expect(await at(START)).toEqual([expect.stringMatching(/^Off now\. Back in /), "brownout"]);
    expect(await at(END - 5_000)).toEqual([expect.stringMatching(/^Off now\. Back in /), "brownout"]);
    expect(await at(END)).toEqual([ANNOUNCED, "announced"]);
    expect(await at(SUNSET - 5_000)).toEqual([ANNOUNCED, "announced"]);
    expect(await at(SUNSET)).toEqual(["V1 has ended", "gone"]);
  });
});
