import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { serveDatabase, serving } from "../../service/testing/serving.ts";
import { type Conclusion, type Works, worksOf } from "../testing/old-client.ts";
import { OLD_CLIENTS } from "../testing/old-clients.ts";
import { answersAsV1, isOutsideV1 } from "../testing/outside-v1.ts";
import { conclude } from "../testing/run-old-client.ts";
import { known, listRefused, people, type Run, runAll } from "../testing/run-old-clients.ts";

const prefixed = { V1_ALSO_AT: "/api/v2" };
const OLD_KEY = { "X-API-KEY": "0123456789abcdef-of-the-old-server" };
const V1 = ["/api/v1"];
const BOTH = ["/api/v1", "/api/v2"];
/** The statuses that were tried for a path that looks like V1 under another prefix. */
const TRIED = [400, 404, 501];
/** Paths of a later version without a word of V1, at the root. They are answered as any unknown path. */
const AT_ROOT = ["/credentials?id={wallet}", "/profile?id={wallet}", "/socials?id={wallet}"];

const { address, name } = await serving(people);
const start = async (environment: Record<string, string>, database = name) =>
  (await serveDatabase(database, { environment })).address;

const numbers = (runs: readonly Run[]) =>
  runs.filter(({ conclusion }) => conclusion === "works").map(({ client }) => client.number);
const expected = (...works: Works[]) =>
  OLD_CLIENTS.filter((client) => works.includes(worksOf(client))).map(({ number }) => number);

/** The conclusions if requests to unknown paths got another status. */
const withStatus = (runs: readonly Run[], status: number): Conclusion[] =>
  runs.map(({ client, responses }) =>
    conclude(
      client,
      responses.map(({ body, ...received }) => {
        const isUnknown = body.includes('"unknown_path"');
        return { body, status: isUnknown ? status : received.status };
      }),
    ),
  );

/** The requests that V1 does not have at these prefixes, each with what the server makes of it. */
const answersOutside = (runs: readonly Run[], prefixes: readonly string[]) =>
  runs.flatMap(({ client, responses }) =>
    client.targets.flatMap((target, index) => {
      const response = responses[index];
      if (response === undefined || !isOutsideV1(target, prefixes)) return [];
      return [{ number: client.number, target, answer: answersAsV1(response), status: response.status }];
    }),
  );

describe("clients of the old server", async () => {
  const asIs = await runAll(address);
  const withPrefix = await runAll(await start(prefixed));
  const withOldKey = await runAll(await start({ ...prefixed, AUTH_MODE: "open" }), OLD_KEY);
  const refused = await runAll(await start(prefixed), OLD_KEY);
  const refusedAsIs = await runAll(address, OLD_KEY);

  test("the data has a person for every request, and at least 50 clients", () => {
    expect(known).toBeDefined();
    expect(OLD_CLIENTS.length).toBeGreaterThanOrEqual(50);
    expect(OLD_CLIENTS.map(({ number }) => number)).toEqual(OLD_CLIENTS.map((_, index) => index + 1));
  });

  test("the table", () => {
    const columns = {
      "as it is": asIs,
      V1_ALSO_AT: withPrefix,
      "and an old key, open": withOldKey,
      "and optional": refused,
      "old key, as it is": refusedAsIs,
    };
    const rows = OLD_CLIENTS.map(({ number, targets }, index) => [
      String(number).padStart(2),
      ...Object.values(columns).map((runs) => (runs[index]?.conclusion ?? "").padEnd(20)),
      targets.join(", "),
    ]);
    const head = ["  ", ...Object.keys(columns).map((title) => title.padEnd(20)), "request"];
    process.stdout.write(`${[head, ...rows].map((row) => row.join("  ")).join("\n")}\n`);
    expect(rows).toHaveLength(OLD_CLIENTS.length);
  });

  test("each client works with the setting that the data says; an old key in open mode changes nothing", () => {
    expect(numbers(asIs)).toEqual(expected("as is"));
    expect(numbers(withPrefix)).toEqual(expected("as is", "with the prefix"));
    expect(numbers(withOldKey)).toEqual(numbers(withPrefix));
    expect([asIs, withPrefix].map((runs) => numbers(runs).length)).toEqual([6, 28]);
    // Of the first 36 alone.
    expect([asIs, withPrefix].map((runs) => numbers(runs.slice(0, 36)).length)).toEqual([6, 20]);
  });

  test("no request that V1 does not have gets people, an empty list or the 404 of a person", () => {
    const servers: [readonly Run[], readonly string[]][] = [
      ...[asIs, refusedAsIs].map((runs): [Run[], string[]] => [runs, V1]),
      ...[withPrefix, withOldKey, refused].map((runs): [Run[], string[]] => [runs, BOTH]),
    ];
    for (const [runs, prefixes] of servers) {
      const outside = answersOutside(runs, prefixes);
      expect(outside.length).toBeGreaterThan(15);
      expect(outside.filter(({ answer }) => answer !== null)).toEqual([]);
    }
    const notFound = answersOutside(withPrefix, BOTH).filter(({ status }) => status === 404);
    expect(notFound.map(({ target }) => target)).toEqual(AT_ROOT);
  });

  test("filters that would mislead are refused", () => {
    expect(listRefused(withPrefix)).toEqual([24, 33, 37, 38, 39, 53]);
  });

  test("clients that nothing on the server can help are marked in the data", () => {
    // An outage.
    const fail = (status: number) =>
      withPrefix.map(({ client }) =>
        conclude(
          client,
          client.targets.map(() => ({ status, body: "" })),
        ),
      );
    for (const status of [400, 401, 410, 429, 500, 503]) {
      const helpless = OLD_CLIENTS.filter((_, index) => /^(no passport|misled)$/.test(fail(status)[index] ?? ""));
      expect(helpless).toEqual(OLD_CLIENTS.filter(({ onFailure }) => onFailure === "none" || onFailure === "found"));
    }
    const foreign = withPrefix.filter(({ client }) => client.sendsForeignId);
    expect(foreign.map(({ client, responses: [response] }) => [client.number, response?.status])).toEqual([[32, 200]]);
  });

  test("of the clients that V1 at its own path does not serve, fewest take 400 for a missing passport", () => {
    const others = asIs.filter(({ client }) => worksOf(client) !== "as is");
    const falseNone = TRIED.map((status) => withStatus(others, status).filter((end) => end === "no passport").length);
    const decisions = readFileSync(new URL("../../docs/DECISIONS.md", import.meta.url), "utf8").replaceAll(/\s+/g, " ");
    const sentence =
      /Of the (\d+) probes that V1 at its own path does not serve, (\d+) take a 404 for a missing passport, (\d+) a 400, and (\d+) a 501\./;
    const [is400, is404, is501] = falseNone;
    expect(sentence.exec(decisions)?.slice(1).map(Number)).toEqual([others.length, is404, is400, is501]);
    expect(is404).toBeGreaterThan(is400 ?? 0);
    expect(is501).toBe(is400);
    // Nothing can help those.
    const taken = others.filter((_, index) => withStatus(others, 400)[index] === "no passport");
    expect(taken.filter(({ client }) => client.onFailure !== "none")).toEqual([]);
    // What the server sends.
    expect(others.map(({ conclusion }) => conclusion)).toEqual(withStatus(others, 400));
  });

  test("an old key in the default mode gets 401 on every path of V1, 400 elsewhere below it, never the 404 of a person", () => {
    for (const [runs, versions] of [
      [refused, "[12]"],
      [refusedAsIs, "1"],
    ] as const) {
      for (const { client, responses } of runs) {
        for (const [index, { status, body }] of responses.entries()) {
          const target = client.targets[index] ?? "";
          expect(status, target).toBe(statusWithOldKey(target, client.method, versions));
          if (status === 404) expect(body).toContain('"unknown_path"');
        }
      }
    }
  });
});

function statusWithOldKey(target: string, method: "POST" | undefined, versions: string): number {
  const endpoint = new RegExp(`^/+api/v${versions}/+(passports(/[^/?]+)?|passport_credentials)/*([?]|$)`);
  if (endpoint.test(target)) return method === undefined ? 401 : 405;
  if (AT_ROOT.includes(target)) return 404;
  // The third path that client 4 tries is the page of a passport.
  return target === "/passports/{wallet}" ? 200 : 400;
}
