import { Readable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { inventDemoPeople } from "../../service/src/demo/invent/population.ts";
import { serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";
import { type ProxyResponse, proxyTo } from "../testing/breaking-proxy.ts";
import { Client } from "./client.ts";
import { compareServers, type Difference } from "./compare.ts";
import { Server } from "./replay/ask.ts";
import { Replay } from "./replay/replay.ts";

// biome-ignore lint/suspicious/noExplicitAny: changes modify any part of a body.
type Json = Record<string, any>;
/** A request, a change to its response, and the field in which the change must be found. */
type Change = [path: RegExp, apply: (body: Json, response: ProxyResponse) => void, field: string];

const single = (id: number) => new RegExp(`/passports/${id}$`);
const credentials = (id: number) => new RegExp(`passport_id=${id}$`);

describe("--compare", async () => {
  const { address } = await serving(inventDemoPeople());
  const proxy = await proxyTo(address);
  afterAll(proxy.close);
  const compare = async () => {
    const options = { maxRequestsPerSecond: 10_000, timeoutMs: 10_000 };
    const first = new Client({ baseUrl: address, ...options });
    const second = new Client({ baseUrl: proxy.address, ...options });
    const comparison = await compareServers(first, second, 2);
    first.close();
    second.close();
    return comparison;
  };

  test("finds no difference between equal servers", async () => {
    proxy.breakWith({});
    const { requests, differences } = await compare();
    expect(differences).toEqual([]);
    expect(requests).toBeGreaterThan(100);
  });

  test("finds no difference between equal servers with --requests either", async () => {
    proxy.breakWith({});
    const { signal } = new AbortController();
    const connect = (name: "OLD" | "NEW", baseUrl: string) => {
      const client = new Client({ baseUrl, maxRequestsPerSecond: 10_000, timeoutMs: 10_000 });
      whenDone(() => client.close());
      return new Server(name, client, signal);
    };
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
    const replay = new Replay({
      input: Readable.from([Buffer.from(lines.join(""))]),
      old: connect("OLD", address),
      new: connect("NEW", proxy.address),
      prefix: "/api/v1",
      isStrict: true,
      carried: [],
      parameters: [],
      signal,
      exampleOf: () => ({ old: "", new: "", curlOld: "", curlNew: "" }),
      onProgress: () => {},
    });
    const report = await replay.run();
    expect(report).toMatchObject({ isSafe: true, compared: 16, groups: [], headersOnlyOnOld: {} });
  });

  test("finds each of twenty differences, and no others", async () => {
    const { passports } = (await (await fetch(`${address}/api/v1/passports?page=1`)).json()) as { passports: Json[] };
    const next = (await (await fetch(`${address}/api/v1/passports?page=2`)).json()) as { passports: Json[] };
    const second = next.passports[0]?.passport_id as number;
    const ids = passports.map(({ passport_id }) => passport_id as number);
    const wallet = passports[20]?.main_wallet as string;
    const id = (at: number) => ids[at] as number;
    const changes: Change[] = [
      [/passports\?page=1$/, (body) => (body.passports[2].score += 1), `passports[${id(2)}].score`],
      [/passports\?page=1$/, (body) => delete body.passports[3].human_checkmark, `passports[${id(3)}].human_checkmark`],
      [/passports\?page=1$/, (body) => (body.passports[4].extra = 1), `passports[${id(4)}].extra`],
      [/passports\?page=1$/, (body) => (body.pagination.total += 1), "pagination.total"],
      [/passports\?page=2$/, (body) => (body.pagination.last_page = 1), "pagination.last_page"],
      [
        /passports\?page=2$/,
        (body) => (body.passports[0].passport_profile.display_name = null),
        `passports[${second}].passport_profile.display_name`,
      ],
      [single(id(5)), (body) => (body.passport.merged = true), "passport.merged"],
      [single(id(6)), (body) => (body.passport.verified_wallets[0] = "0x"), "passport.verified_wallets[0]"],
      [single(id(7)), (body) => (body.passport.connections_count = "5"), "passport.connections_count"],
      [single(id(8)), (body) => (body.passport.passport_socials = null), "passport.passport_socials"],
      [single(id(9)), (_, response) => (response.status = 404), "status"],
      [single(id(10)), (_, response) => (response.headers["content-type"] = "text/json"), "content type"],
      [
        single(id(11)),
        (body) =>
          (body.passport.passport_profile.tags = ["x", "y", "z"].slice(
            0,
            1 + body.passport.passport_profile.tags.length,
          )),
        "passport.passport_profile.tags",
      ],
      [
        single(id(12)),
        (body) => (body.passport = Object.fromEntries(Object.entries(body.passport).reverse())),
        "order of passport",
      ],
      [credentials(id(13)), (body) => body.passport_credentials.pop(), "passport_credentials"],
      [credentials(id(14)), (body) => (body.passport_credentials[0].value = "other"), "passport_credentials["],
      [credentials(id(15)), (body) => (body.passport_credentials[1].max_score += 0.5), "passport_credentials["],
      [new RegExp(`/passports/${wallet}$`), (body) => (body.passport.passport_id = 0), "passport.passport_id"],
      [/passports\/9007199254740991$/, (body) => (body.error = "Not found."), "error"],
      [/passports\?keyword=a$/, (body) => (body.pagination.current_page = 2), "pagination.current_page"],
    ];
    proxy.breakWith({
      changeResponse: (response, { path }) => {
        const body = JSON.parse(response.body);
        for (const [pattern, apply] of changes) if (pattern.test(path)) apply(body, response);
        response.body = JSON.stringify(body);
      },
    });
    const { differences } = await compare();
    expect(changes).toHaveLength(20);
    const isCausedBy = ({ request, field }: Difference, [path, , expected]: Change) =>
      path.test(request) && field.startsWith(expected);
    const unexpected = differences.filter((difference) => !changes.some((change) => isCausedBy(difference, change)));
    expect(unexpected).toEqual([]);
    // A missing person or credential is one difference.
    expect(differences.length).toBeLessThan(30);
    const undetected = changes.filter((change) => !differences.some((difference) => isCausedBy(difference, change)));
    expect(undetected).toEqual([]);
  });
});
