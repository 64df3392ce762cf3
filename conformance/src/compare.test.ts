import { afterAll, describe, expect, test } from "vitest";
import { inventDemoPeople } from "../../service/src/invent/demo.ts";
import { serving } from "../../service/testing/serving.ts";
import { proxyTo } from "../testing/breaking-proxy.ts";
import { Asker } from "./asker.ts";
import { compareServers } from "./compare.ts";

// biome-ignore lint/suspicious/noExplicitAny: the bodies are taken apart at will.
type Json = Record<string, any>;
/** A question, a change to its answer, and where the difference is to be found. */
type Seed = [
  path: RegExp,
  change: (body: Json, told: { status: number; headers: Record<string, unknown> }) => void,
  where: string,
];

const single = (at: number) => new RegExp(`/passports/${at}$`);
const credentials = (at: number) => new RegExp(`passport_id=${at}$`);

describe("--compare", async () => {
  const { address } = await serving(inventDemoPeople());
  const proxy = await proxyTo(address);
  afterAll(proxy.close);
  const compare = async () => {
    const askers = [address, proxy.address].map((baseUrl) => new Asker({ baseUrl, rate: 10_000, timeoutMs: 10_000 }));
    const comparison = await compareServers(askers[0] as Asker, askers[1] as Asker, 2);
    for (const asker of askers) asker.end();
    return comparison;
  };

  test("finds nothing between two equal servers", async () => {
    proxy.breakWith({});
    const { questions, differences } = await compare();
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(100);
  });

  test("finds every one of twenty differences, and no other", async () => {
    const { passports } = (await (await fetch(`${address}/api/v1/passports?page=1`)).json()) as { passports: Json[] };
    const next = (await (await fetch(`${address}/api/v1/passports?page=2`)).json()) as { passports: Json[] };
    const second = next.passports[0]?.passport_id as number;
    const ids = passports.map(({ passport_id }) => passport_id as number);
    const wallet = passports[20]?.main_wallet as string;
    const id = (at: number) => ids[at] as number;
    const seeds: Seed[] = [
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
      [single(id(9)), (_, told) => (told.status = 404), "status"],
      [single(id(10)), (_, told) => (told.headers["content-type"] = "text/json"), "content type"],
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
      tell: (told, { path }) => {
        const body = JSON.parse(told.body);
        for (const [question, change] of seeds) if (question.test(path)) change(body, told);
        told.body = JSON.stringify(body);
      },
    });
    const { differences } = await compare();
    expect(seeds).toHaveLength(20);
    const unexplained = differences.filter(
      ({ question, where }) => !seeds.some(([path, , place]) => path.test(question) && where.startsWith(place)),
    );
    expect(unexplained).toEqual([]);
    // One person or credential more or less is one difference.
    expect(differences.length).toBeLessThan(30);
    for (const [path, , place] of seeds) {
      expect(
        differences.some(({ question, where }) => path.test(question) && where.startsWith(place)),
        `${path} ${place}`,
      ).toBe(true);
    }
  });
});
