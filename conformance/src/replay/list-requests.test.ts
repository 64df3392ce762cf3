import { Readable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { inventDemoPeople } from "../../../service/src/demo/invent/population.ts";
import { serving } from "../../../service/testing/serving.ts";
import { whenDone } from "../../../service/testing/when-done.ts";
import { proxyTo } from "../../testing/breaking-proxy.ts";
import { Client } from "../client.ts";
import { Server } from "./ask.ts";
import { listRequests } from "./list-requests.ts";
import { Replay } from "./replay.ts";

describe("--compare", async () => {
  const { address } = await serving(inventDemoPeople());
  const proxy = await proxyTo(address);
  afterAll(proxy.close);
  const { signal } = new AbortController();
  const connect = (baseUrl: string) => {
    const client = new Client({ baseUrl, maxRequestsPerSecond: 10_000, timeoutMs: 10_000 });
    whenDone(() => client.close());
    return client;
  };
  const compare = (input: Readable) =>
    new Replay({
      input,
      old: new Server("OLD", connect(address), signal),
      new: new Server("NEW", connect(proxy.address), signal),
      prefix: "/api/v1",
      isStrict: true,
      accepted: [],
      parameters: [],
      signal,
      exampleOf: () => ({ old: "", new: "", curlOld: "", curlNew: "" }),
      onProgress: () => {},
    }).run();
  const listed = (pages = 2) => Readable.from(listRequests(connect(address), pages, "/api/v1"));

  test("asks for all people on the pages, and finds no difference between equal servers", async () => {
    const report = await compare(listed());
    expect(report).toMatchObject({ isSafe: true, skipped: {}, groups: [] });
    // For each of 50 people: by id, their credentials, and by wallet. A few have no wallet.
    expect(report.compared).toBeGreaterThan(2 * 50 + 40);
    expect(report.compared).toBe(report.lines);
  });

  test("finds a difference in each of the answers about a person", async () => {
    const page = await (await fetch(`${address}/api/v1/passports?page=1`)).json();
    const { passports } = page as { passports: { passport_id: number; main_wallet: string }[] };
    const { passport_id: id, main_wallet: wallet } = passports[3] as (typeof passports)[number];
    const paths = [
      `passports/${id}`,
      `passports/${wallet}`,
      `passport_credentials?passport_id=${id}`,
      "passports?page=1",
    ];
    for (const path of paths) {
      proxy.breakWith({
        changeResponse: (response, request) => {
          if (request.path.endsWith(path)) response.body = response.body.replace(/"score":/, '"points":');
        },
      });
      expect((await compare(listed(1))).isSafe, path).toBe(false);
    }
  });

  test("finds no difference between equal servers with --requests either", async () => {
    proxy.breakWith({});
    const targets = [
      "s",
      "s/3",
      "s/3?page=x",
      "s/nobody",
      "s/%zz",
      "s?keyword=a",
      "s?per_page=3&page=2",
      "_credentials",
    ];
    const lines = targets.flatMap((target) => [`GET /api/v1/passport${target}\n`, `HEAD /api/v1/passport${target}\n`]);
    const report = await compare(Readable.from([Buffer.from(lines.join(""))]));
    expect(report).toMatchObject({ isSafe: true, compared: 16, groups: [], headersOnlyOnOld: {} });
  });
});
