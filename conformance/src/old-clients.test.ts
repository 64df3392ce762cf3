import { readFileSync } from "node:fs";
import { CARRIED_FIELDS } from "@credence/contract/carried.ts";
import { describe, expect, test } from "vitest";
import { changeCarriedFields } from "../../service/src/carried-fields/carried-fields.ts";
import { inventDemoPeople } from "../../service/src/demo/invent/population.ts";
import { refreshStanding } from "../../service/src/list/manage/refresh-standing.ts";
import { savePeople } from "../../service/src/people/write/save-people.ts";
import { testDatabase } from "../../service/testing/database.ts";
import { serveDatabase, serving } from "../../service/testing/serving.ts";
import { OLD_CLIENTS, type OldClient } from "../testing/old-clients.ts";
import { type Conclusion, conclude, type Received } from "../testing/run-old-client.ts";

const people = inventDemoPeople();
const prefixed = { V1_ALSO_AT: "/api/v2" };
const OLD_KEY = { "X-API-KEY": "0123456789abcdef-of-the-old-server" };
const NOBODY = `0x${"0".repeat(36)}dEaD`;
/** The statuses that were tried for a path that looks like V1 under another prefix. */
const TRIED = [400, 404, 501];

const { address, name } = await serving(people);
const start = async (environment: Record<string, string>, database = name) =>
  (await serveDatabase(database, { environment })).address;

/** A database of the same people that carries the three fields. */
async function carryFields(): Promise<string> {
  const { database, name: carrying } = await testDatabase();
  await changeCarriedFields(
    database,
    () => new Set(CARRIED_FIELDS),
    () => {},
  );
  const values = { name: "Ada", image_url: "https://images.example/ada.png" };
  await savePeople(
    database,
    people.map(({ passport, ...person }) => ({
      ...person,
      passport: { ...passport, verified: true, passport_profile: { ...passport.passport_profile, ...values } },
    })),
  );
  await refreshStanding(database);
  return carrying;
}

/** A person with an ordinary name, a high score and credentials. */
const known = people.find(
  ({ passport, credentials }) =>
    (passport.identity_score ?? 0) > 9 &&
    (passport.score ?? 0) > 0 &&
    credentials.length > 0 &&
    passport.passport_socials.length > 0 &&
    /^[A-Z][a-z]+ /.test(passport.passport_profile.display_name ?? "") &&
    passport.main_wallet?.startsWith("0x"),
);
const mixedCase = (wallet: string) => wallet.replaceAll(/[ac-f](?=\d)/g, (letter) => letter.toUpperCase());

function fill(target: string): string {
  const values: Record<string, string> = {
    wallet: mixedCase(known?.passport.main_wallet ?? ""),
    second: people[0]?.passport.main_wallet ?? "",
    nobody: NOBODY,
    name: known?.passport.passport_profile.display_name ?? "",
  };
  return target.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(values[field] ?? ""));
}

async function ask(url: string, client: OldClient, keys: Record<string, string>): Promise<Received[]> {
  return Promise.all(
    client.targets.map(async (target) => {
      const response = await fetch(url + fill(target), { headers: { ...client.headers, ...keys } });
      return { status: response.status, body: await response.text() };
    }),
  );
}

/** The words of docs/COMPATIBILITY.md. */
const NEEDS: Readonly<Record<string, OldClient["works"]>> = {
  nothing: "as is",
  prefix: "with the prefix",
  fields: "with carried fields",
  "cannot work": "never",
};

type Run = { client: OldClient; responses: Received[]; conclusion: Conclusion };

const runAll = (url: string, keys: Record<string, string> = {}): Promise<Run[]> =>
  Promise.all(
    OLD_CLIENTS.map(async (client) => {
      const responses = await ask(url, client, keys);
      return { client, responses, conclusion: conclude(client, responses) };
    }),
  );

const numbers = (runs: readonly Run[]) =>
  runs.filter(({ conclusion }) => conclusion === "works").map(({ client }) => client.number);
const expected = (...works: OldClient["works"][]) =>
  OLD_CLIENTS.filter((client) => works.includes(client.works)).map(({ number }) => number);

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

describe("36 clients of the old server", async () => {
  const asIs = await runAll(address);
  const withPrefix = await runAll(await start(prefixed));
  const withFields = await runAll(await start(prefixed, await carryFields()));
  const withOldKey = await runAll(await start({ ...prefixed, AUTH_MODE: "open" }), OLD_KEY);
  const refused = await runAll(await start(prefixed), OLD_KEY);
  const refusedAsIs = await runAll(address, OLD_KEY);

  test("the data has a person for every request", () => {
    expect(known).toBeDefined();
    expect(OLD_CLIENTS.map(({ number }) => number)).toEqual(Array.from({ length: 36 }, (_, index) => index + 1));
  });

  test("the table", () => {
    const columns = {
      "as it is": asIs,
      V1_ALSO_AT: withPrefix,
      "and carried fields": withFields,
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
    expect(rows).toHaveLength(36);
  });

  test("7 work as they are, 21 with the prefix, also with an old key in open mode, 26 with carried fields", () => {
    expect(numbers(asIs)).toEqual(expected("as is"));
    expect(numbers(asIs)).toHaveLength(7);
    expect(numbers(withPrefix)).toEqual(expected("as is", "with the prefix"));
    expect(numbers(withPrefix)).toHaveLength(21);
    expect(numbers(withOldKey)).toEqual(numbers(withPrefix));
    expect(numbers(withFields)).toEqual(expected("as is", "with the prefix", "with carried fields"));
    expect(numbers(withFields)).toHaveLength(26);
  });

  test("docs/COMPATIBILITY.md has these numbers, and every client with what it needs", () => {
    const page = readFileSync(new URL("../../docs/COMPATIBILITY.md", import.meta.url), "utf8");
    const working = [...page.matchAll(/^\| .* \| (\d+) of 36 \|/gm)].map(([, count]) => Number(count));
    expect(working).toEqual([asIs, withPrefix, withFields].map((runs) => numbers(runs).length));
    const needs = [...page.matchAll(/^\| ([\d, ]+) \| .* \| (nothing|prefix|fields|cannot work) \|$/gm)].flatMap(
      ([, clients = "", need = ""]) => clients.split(", ").map((number) => [Number(number), NEEDS[need]] as const),
    );
    expect(needs.toSorted(([a], [b]) => a - b)).toEqual(OLD_CLIENTS.map(({ number, works }) => [number, works]));
    const helpless = OLD_CLIENTS.filter(({ onFailure }) => onFailure === "none").length;
    expect(page).toContain(`${helpless} of the 36 clients take every failure`);
  });

  test("of the other 29, fewest take 400 for a missing passport: only those that take every failure for it", () => {
    const others = asIs.filter(({ client }) => client.works !== "as is");
    expect(others).toHaveLength(29);
    const falseNone = TRIED.map((status) => withStatus(others, status).filter((end) => end === "no passport").length);
    process.stdout.write(
      `False "no passport" of 29: ${TRIED.map((status, index) => `${status}: ${falseNone[index]}`).join(", ")}\n`,
    );
    const helpless = others.filter(({ client }) => client.onFailure === "none").length;
    expect(falseNone).toEqual([helpless, helpless + 3, helpless]);
    // What the server sends.
    expect(others.map(({ conclusion }) => conclusion)).toEqual(withStatus(others, 400));
    expect(others.flatMap(({ responses }) => responses).filter(({ status }) => status === 404)).toEqual([]);
  });

  test("an old key in the default mode gets 401 on every path of V1, 400 elsewhere, and never a 404", () => {
    for (const [runs, isV1] of [
      [refused, /^\/api\/v[12]\//],
      [refusedAsIs, /^\/api\/v1\//],
    ] as const) {
      for (const { client, responses } of runs) {
        for (const [index, { status }] of responses.entries()) {
          const target = client.targets[index] ?? "";
          // The third path that client 4 tries is the page of a passport.
          const elsewhere = target === "/passports/{wallet}" ? 200 : 400;
          expect(status, target).toBe(isV1.test(target) ? 401 : elsewhere);
        }
      }
    }
  });
});
