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

  test("plan shows the calendar of its options, also if another one is set", async () => {
    const { V1_SUNSET_AT, V1_BROWNOUTS, V1_SUCCESSOR_URL, ...rest } = ANNOUNCED;
    const options = ["--sunset", V1_SUNSET_AT, "--brownouts", V1_BROWNOUTS, "--successor", V1_SUCCESSOR_URL];
    const expected = (await runJson(ANNOUNCED, "plan")).result;
    expect((await runJson(rest, "plan", ...options)).result).toEqual(expected);
    expect((await runJson({ ...rest, ...GONE }, "plan", ...options)).result).toEqual(expected);
    expect(await run({}, "plan", "--sunset", "2999-13-01")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("V1_SUNSET_AT"),
    });
  });

  test("2: an invalid calendar, with one sentence per problem", async () => {
    const { code, stderr } = await run({ V1_BROWNOUTS: "2027-01-10/2027-01-11" }, "plan");
    expect(code).toBe(2);
    expect(stderr).toContain("V1_BROWNOUTS: there is no sunset");
  });
});

describe("credence lifecycle with a database", async () => {
  const { database, url, name } = await testDatabase();
  const environment = { DATABASE_URL: url };
  const owner = (label: string, contact: string) => ({ label, contact, expiresAt: null });
  const { keyId, token } = await issueKey(database, owner("Dashboard", "ada@example.org"));
  await issueKey(database, owner("Old", "somebody"));
  const { keyId: revokedId } = await issueKey(database, owner("Revoked", "r@example.org"));
  await database.query("update api_key set revoked_at = now() where key_id = $1", [revokedId]);

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
