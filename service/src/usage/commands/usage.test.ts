import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { issueKey } from "#keys/manage/issue-key.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";

const DAY_MS = 86_400_000;
const dayAt = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("credence usage", async () => {
  const { url, database } = await testDatabase();
  const run = (...args: string[]) => runCommand(args, { DATABASE_URL: url });
  const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);
  const { keyId } = await issueKey(database, { label: "Dashboard", contact: "ada@example.org", expiresAt: null });

  test("without usage", async () => {
    expect(await run("usage")).toMatchObject({ code: 0, stdout: "No requests.\n" });
    expect(await run("usage", "who")).toMatchObject({ code: 0, stdout: "Nobody.\n" });
    expect(await run("usage", "unknown-keys")).toMatchObject({ code: 0, stdout: "None.\n" });
  });

  test("reports requests by key, endpoint, day, status and agent, with totals", async () => {
    const count = "insert into usage_count (day, client, endpoint, status, requests, last_at) values";
    await database.query(`${count}
      ('${dayAt(0)}', '${keyId}', '/api/v1/passports', '2xx', 2000, now()),
      ('${dayAt(0)}', '${keyId}', '/api/v1/passports/:id', '429', 5, now()),
      ('${dayAt(-1)}', 'anonymous', '/api/v1/passports/:id', '2xx', 1000, now()),
      ('${dayAt(-8)}', '${keyId}', '/api/v1/passports', '3xx', 1000, now() - interval '8 days'),
      ('${dayAt(-100)}', 'unknown key', '/api/v1/passports', '401', 7, now() - interval '100 days')`);
    await database.query(`insert into usage_mark (day, kind, value, requests, last_at) values
      ('${dayAt(0)}', 'user agent', '=cmd', 30, now()), ('${dayAt(-1)}', 'user agent', 'curl/8', 40, now()),
      ('${dayAt(-1)}', 'unknown key', '${sha256("old")}', 7, now())`);
    const { stdout, stderr } = await run("usage", "--by", "key");
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 5))).toEqual([
      ["key", "requests", "2xx", "3xx", "429"],
      [keyId, "3,005", "2,000", "1,000", "5"],
      ["anonymous", "1,000", "1,000", expect.stringMatching(/^█+.$/)],
      ["total", "4,005", "3,000", "1,000", "5"],
      [""],
    ]);
    expect(stderr).toContain(`since ${dayAt(-29)}`);
    const groups = async (by: string, ...args: string[]) =>
      (await json("usage", "--by", by, ...args)).groups.map((group: { name: string; requests: number }) => [
        group.name,
        group.requests,
      ]);
    expect(await groups("day")).toEqual([
      [dayAt(-8), 1_000],
      [dayAt(-1), 1_000],
      [dayAt(0), 2_005],
    ]);
    expect(await groups("endpoint")).toEqual([
      ["/api/v1/passports", 3_000],
      ["/api/v1/passports/:id", 1_005],
    ]);
    expect(await groups("status", "--since", dayAt(-200))).toContainEqual(["401", 7]);
    expect(await groups("agent")).toEqual([
      ["curl/8", 40],
      ["=cmd", 30],
    ]);
    expect((await run("usage", "--by", "agent", "--csv")).stdout).toBe("agent,requests\ncurl/8,40\n'=cmd,30\n");
    await database.query(`insert into usage_mark (day, kind, value, requests, last_at) values
      ('${dayAt(0)}', 'path', '/api/v2/passports/*', 12, now()), ('${dayAt(0)}', 'path', '/score', 3, now())`);
    expect(await groups("path")).toEqual([
      ["/api/v2/passports/*", 12],
      ["/score", 3],
    ]);
    expect((await run("usage", "--by", "endpoint", "--csv")).stdout).toBe(
      "endpoint,requests,2xx,3xx,429\n/api/v1/passports,3000,2000,1000,0\n/api/v1/passports/:id,1005,1000,0,5\n",
    );
  });

  test("who lists the owners of keys, their last use and the trend", async () => {
    const { stdout } = await run("usage", "who");
    expect(stdout).toMatch(
      new RegExp(`^${keyId}  Dashboard  ada@example\\.org  ${dayAt(0)} \\d\\d:\\d\\d +3,005  \\+100 %`, "m"),
    );
    expect(stdout).toMatch(/^anonymous .* 1,000 +new/m);
    expect(stdout).not.toContain("unknown key");
    expect((await json("usage", "who", "--since", dayAt(-200))).callers).toHaveLength(3);
    expect((await run("usage", "who", "--csv")).stdout).toMatch(
      new RegExp(`^${keyId},Dashboard,ada@example\\.org,.*,3005,2005,1000$`, "m"),
    );
    expect((await run("keys", "list")).stdout).toMatch(/, last used \d{4}-\d\d-\d\d\n$/);
  });

  test("keys adopt --seen accepts an unknown key by the prefix of its hash", async () => {
    const prefix = sha256("old").slice(0, 12);
    expect((await run("usage", "unknown-keys")).stdout).toMatch(new RegExp(`^${prefix}  .* 7 `, "m"));
    expect((await json("usage", "unknown-keys")).keys).toMatchObject([{ sha256: sha256("old"), requests: 7 }]);
    const owner = ["--label", "Old app", "--contact", "x"];
    const adopt = (...args: string[]) => run("keys", "adopt", ...owner, ...args);
    expect((await adopt("--seen", "0123456789")).stderr).toContain("No unknown key has this hash.");
    expect((await adopt("--seen", "abc")).code).toBe(2);
    expect((await adopt("--seen", prefix, "--sha256", sha256("x"))).code).toBe(2);
    expect((await adopt("--seen", prefix.toUpperCase())).stdout).toContain("Adopted as");
    expect((await adopt("--seen", prefix)).stderr).toContain("stored already");
    expect((await run("usage", "unknown-keys")).stdout).toBe("None.\n");
  });

  test("doctor reports unknown keys, and keys that expire soon", async () => {
    await database.query(`insert into usage_count (day, client, endpoint, status, requests, last_at) values
      ('${dayAt(0)}', 'unknown key', '/api/v1/passports', '401', 12, now())`);
    const expiresAt = new Date(Date.now() + 5 * DAY_MS);
    const { keyId } = await issueKey(database, { label: "x", contact: "x", expiresAt });
    const { checks } = await json("doctor");
    const find = (name: string) => checks.find((check: { name: string }) => check.name === name);
    expect(find("unknown keys")).toMatchObject({
      state: "warning",
      finding: expect.stringContaining("12 refused"),
      advice: expect.stringContaining("keys adopt --seen"),
    });
    expect(find("keys")).toMatchObject({
      state: "warning",
      finding: `keys that expire soon: ${keyId} on ${expiresAt.toISOString().slice(0, 10)}`,
      advice: expect.stringContaining("keys rotate"),
    });
  });

  test.each([
    [["usage", "--by", "address"]],
    [["usage", "--since", "yesterday"]],
    [["usage", "--json", "--csv"]],
    [["usage", "who", "--json", "--csv"]],
  ])("2: %j", async (args) => {
    expect((await run(...args)).code).toBe(2);
  });
});
