import { describe, expect, test } from "vitest";
import { issueKey } from "#keys/manage/issue-key.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { serveDatabase } from "#testing/serving.ts";
import { formatSpan } from "./life-cycle-text.ts";

const ANNOUNCED = {
  PUBLIC_URL: "https://v1.example",
  V1_SUNSET_AT: "2999-06-28",
  V1_BROWNOUTS: "2026-01-01T15:00:00Z/2026-01-01T15:05:00Z, 2999-03-30T15:00:00Z/2999-03-30T16:30:00Z",
  V1_SUCCESSOR_URL: "https://v2.example/",
};
const BROWNOUT = { V1_SUNSET_AT: "2999-06-28", V1_BROWNOUTS: "2026-01-01/2999-01-01" };
const GONE = { V1_SUNSET_AT: "2026-01-02" };

const run = (environment: Record<string, string>, ...args: string[]) => runCommand(["lifecycle", ...args], environment);
const runJson = async (environment: Record<string, string>, ...args: string[]) => {
  const { code, stdout, stderr } = await run(environment, ...args, "--json");
  expect(stderr).toBe("");
  return { code, result: JSON.parse(stdout) };
};

describe("credence lifecycle without a database", () => {
  test.each<[string, Record<string, string>]>([
    ["active", {}],
    ["announced", ANNOUNCED],
    ["brownout", BROWNOUT],
    ["gone", GONE],
  ])("show: %s", async (state, environment) => {
    const { code, stdout } = await run(environment, "show");
    expect(code).toBe(0);
    expect(stdout).toContain(`The state of V1 is ${state}: `);
    expect(stdout).toContain(state === "active" || state === "gone" ? "No change is planned." : "Next change: ");
  });

  test("show --json has the document that the server sends at /deprecation.json", async () => {
    const { result } = await runJson(ANNOUNCED, "show");
    const { address } = await serveDatabase((await testDatabase()).name, { environment: ANNOUNCED });
    const { source, differences, nodes, ...document } = result;
    expect({ source, differences, nodes }).toEqual({ source: null, differences: [], nodes: [] });
    expect(await (await fetch(`${address}/deprecation.json`)).json()).toEqual(document);
  });

  test("plan lists every period, with the response of the server at its start", async () => {
    const { stdout } = await run(ANNOUNCED, "plan");
    expect(stdout).toContain("brownout   2999-03-30T15:00:00Z  2999-03-30T16:30:00Z  1 hour 30 minutes\n");
    expect(stdout).toMatch(/^gone {7}2999-06-28T00:00:00Z$/m);
    const { result } = await runJson(ANNOUNCED, "plan");
    expect(result.periods.map(({ state }: { state: string }) => state)).toEqual([
      ...["announced", "brownout", "announced", "brownout", "announced", "gone"],
    ]);
    const responses = result.periods.map(({ response }: { response: unknown }) => response);
    const common = {
      deprecation: "@1743379200",
      sunset: "Fri, 28 Jun 2999 00:00:00 GMT",
      link: '<https://v1.example/deprecation>; rel="deprecation"; type="text/html", <https://v1.example/deprecation>; rel="sunset"; type="text/html", <https://v2.example/>; rel="successor-version"',
    };
    const far = "public, max-age=60, stale-while-revalidate=60, stale-if-error=3600";
    expect(responses[0]).toEqual({ status: 200, headers: { ...common, "cache-control": far } });
    expect(responses[1]).toEqual({
      status: 410,
      headers: { ...common, "retry-after": "300", "cache-control": "no-store" },
    });
    expect(responses[3].headers["retry-after"]).toBe("5400");
    expect(responses[5]).toEqual({ status: 410, headers: { ...common, "cache-control": "no-store" } });
  });

  test("plan and check show the calendar of their options, also if another one is set", async () => {
    const { V1_SUNSET_AT, V1_BROWNOUTS, V1_SUCCESSOR_URL, ...rest } = ANNOUNCED;
    const options = ["--sunset", V1_SUNSET_AT, "--brownouts", V1_BROWNOUTS, "--successor", V1_SUCCESSOR_URL];
    for (const command of ["plan", "check"]) {
      const expected = (await runJson(ANNOUNCED, command)).result;
      expect((await runJson(rest, command, ...options)).result).toEqual(expected);
      expect((await runJson({ ...rest, ...GONE, V1_BROWNOUTS: "rising" }, command, ...options)).result).toEqual(
        expected,
      );
    }
    expect(await run({}, "plan", "--sunset", "2999-13-01")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("V1_SUNSET_AT"),
    });
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ["no sunset", {}, /No sunset is set/],
    ["a sunset in the past", GONE, /The sunset has passed/],
    ["a sunset on a weekend", { V1_SUNSET_AT: "2999-06-29" }, /sunset is on a weekend/],
    [
      "brownouts on a weekend",
      { V1_SUNSET_AT: "2999-06-28", V1_BROWNOUTS: "rising" },
      /Of 5 brownouts, 3 are partly on a weekend/,
    ],
    ["no brownouts", { V1_SUNSET_AT: "2999-06-28" }, /no brownouts/],
    ["a long brownout", BROWNOUT, /Of 1 brownouts, 1 is longer than 48 hours/],
    [
      "a short brownout",
      { V1_SUNSET_AT: "2999-06-28", V1_BROWNOUTS: "2998-01-01T00:00:00Z/2998-01-01T00:01:00Z" },
      /1 is shorter than 5 minutes/,
    ],
    ["an early brownout", { ...BROWNOUT, V1_DEPRECATED_AT: "2026-06-01" }, /before the deprecation/],
    ["no successor", {}, /No successor is named/],
    ["a deprecation link to this machine", {}, /which clients may not be able to open/],
    ["another page", { ...ANNOUNCED, V1_DOCS_URL: "https://docs.example/" }, /does not follow the calendar/],
    ["unknown clients", {}, /clients without a key are unknown/],
    ["a future deprecation", { V1_DEPRECATED_AT: "2999-01-01" }, /in the future/],
  ])("check reports %s", async (_, environment, risk) => {
    const { code, result } = await runJson(environment, "check");
    expect(code).toBe(0);
    expect(result.risks.map(({ finding }: { finding: string }) => finding).join("\n")).toMatch(risk);
    for (const { finding, advice } of result.risks) expect(`${finding} ${advice}`).toMatch(/^[A-Z].*\. [A-Z].*\.$/);
    expect(result.clients).toBeNull();
  });

  test("check finds no risk in a good calendar", async () => {
    const good = {
      ...ANNOUNCED,
      AUTH_MODE: "required",
      // A Wednesday: the longest brownout ends on a Friday.
      V1_SUNSET_AT: "2999-06-26",
      V1_BROWNOUTS: "rising",
    };
    expect((await run(good, "check")).stdout).toBe(
      "The calendar is valid. The state of V1 is announced.\nNo risks were found.\nClients are not listed: DATABASE_URL is not set.\n",
    );
  });

  test("2: an invalid calendar, with one sentence per problem", async () => {
    const { code, stderr } = await run({ V1_BROWNOUTS: "rising" }, "check");
    expect(code).toBe(2);
    expect(stderr).toContain("V1_BROWNOUTS: there is no sunset");
  });
});

describe("credence lifecycle with a database", async () => {
  const { database, url, name } = await testDatabase();
  const environment = { DATABASE_URL: url };
  const owner = (label: string, contact: string) => ({ label, contact, expiresAt: null });
  const { keyId, token } = await issueKey(database, owner("Dashboard", "ada@example.org"));
  const { keyId: otherId } = await issueKey(database, owner("Old", "somebody"));
  const { keyId: revokedId } = await issueKey(database, owner("Revoked", "r@example.org"));
  await database.query("update api_key set revoked_at = now() where key_id = $1", [revokedId]);

  test("check lists the clients with valid keys and their use, and keys without a contact", async () => {
    await database.query(
      `insert into usage_count (day, client, endpoint, status, requests, last_at)
       values (now(), $1, '/api/v1/passports', '2xx', 7, now()), (now(), 'anonymous', '/api/v1/passports', '2xx', 5, now())`,
      [keyId],
    );
    const { result } = await runJson(environment, "check");
    expect(result).toMatchObject({
      clients: [
        { key_id: keyId, label: "Dashboard", contact: "ada@example.org", requests: 7, last_at: expect.any(String) },
        { key_id: otherId, label: "Old", contact: "somebody", requests: 0, last_at: null },
      ],
      unidentified_requests: 5,
    });
    const { stdout } = await run(environment, "check");
    expect(stdout).toContain(`1 key without an e-mail address or a URL as contact: ${otherId}.`);
    expect(stdout).toContain(
      `2 clients with a valid key:\n${keyId}  Dashboard (ada@example.org): 7 requests, last on `,
    );
    expect(stdout).toContain(`${otherId}  Old (somebody): no requests\n`);
    expect(stdout).toContain("5 requests without a valid key in 30 days");
  });

  test("rehearse switches V1 off for one key until it ends or is stopped", async () => {
    const { address } = await serveDatabase(name);
    const load = async () => (await fetch(`${address}/api/v1/passports`, { headers: { "X-API-KEY": token } })).status;
    expect(await load()).toBe(200);
    const before = Date.now();
    const started = await run(environment, "rehearse", "--key", keyId, "--for", "1h");
    expect(started.code).toBe(0);
    expect(started.stdout).toMatch(/^Key \w{10} \(Dashboard, ada@example\.org\) gets 410 .* for 1 hour, until 2/);
    await expect.poll(load).toBe(410);
    const { rows } = await database.query("select key_id, rehearsed_until from api_key order by rehearsed_until");
    expect(rows.map(({ rehearsed_until }) => rehearsed_until !== null)).toEqual([true, false, false]);
    const until = rows[0].rehearsed_until.getTime();
    expect(until - 3_600_000).toBeGreaterThanOrEqual(before);
    expect(until - 3_600_000).toBeLessThanOrEqual(Date.now());
    const { result } = await runJson(environment, "rehearse", "--key", keyId, "--stop");
    expect(result).toEqual({ key_id: keyId, label: "Dashboard", contact: "ada@example.org", rehearsed_until: null });
    await expect.poll(load).toBe(200);
  });

  test.each([["nothing"], [revokedId]])("1: rehearse with the key %s", async (key) => {
    const { code, stderr } = await run(environment, "rehearse", "--key", key, "--for", "1h");
    expect(code).toBe(1);
    expect(stderr).toContain("No valid key has this id.");
  });

  test.each([
    [["--for", "1h"]],
    [["--key", "a"]],
    [["--key", "a", "--for", "1h", "--stop"]],
    [["--key", "a", "--for", "soon"]],
    [["--key", "a", "--for", "169h"]],
    [["--key", "a", "--for", "0s"]],
  ])("2: rehearse %j", async (args) => {
    expect((await run(environment, "rehearse", ...args)).code).toBe(2);
  });
});

test.each([
  [226.9 * 86_400_000, "226 days"],
  [2 * 86_400_000, "48 hours"],
  [5_400_000, "1 hour 30 minutes"],
  [300_000, "5 minutes"],
  [61_000, "1 minute 1 second"],
  [10, "less than a second"],
])("formatSpan(%d) is %s", (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});
