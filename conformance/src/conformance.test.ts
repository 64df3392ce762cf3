import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { inventDemoPeople } from "../../service/src/invent/demo.ts";
import { issueKey } from "../../service/src/operations/access/issue-key.ts";
import { findFreePorts } from "../../service/testing/free-ports.ts";
import { serveDatabase, serving } from "../../service/testing/serving.ts";
import { BREAKAGES } from "../testing/breakages.ts";
import { proxyTo } from "../testing/breaking-proxy.ts";
import { minimalServer } from "../testing/minimal-server.ts";
import { CLAUSES } from "./clauses/all.ts";
import { Client } from "./client.ts";
import { clausesOf, runClauses } from "./run.ts";

const people = inventDemoPeople();

const run = async (baseUrl: string, clauses = clausesOf("credence"), key?: string) => {
  const client = new Client({ baseUrl, key, maxRequestsPerSecond: 10_000, timeoutMs: 10_000 });
  const outcomes = await runClauses(client, clauses, key !== undefined);
  client.close();
  return { outcomes, requests: client.requestCount, notPassed: outcomes.filter(({ result }) => result !== "pass") };
};

/** The clauses of a state that the server is not in, and of a page that is not on this server. */
const SKIPPED = ["switched-off", "brownout-ends", "deprecation-target"];
const idsOf = (outcomes: readonly { clause: string; result: string }[]) =>
  outcomes.map(({ clause, result }) => `${result} ${clause}`);
const SKIPPED_OUTCOMES = SKIPPED.map((id) => `skipped ${id}`);

describe("runClauses", async () => {
  const { address, database, name } = await serving(people);
  const proxy = await proxyTo(address);
  afterAll(proxy.close);

  test("passes on the service, directly and through an unmodified proxy, with fewer than 110 requests", async () => {
    const direct = await run(address);
    expect(idsOf(direct.notPassed)).toEqual(SKIPPED_OUTCOMES);
    expect(direct.outcomes).toHaveLength(CLAUSES.length);
    expect(direct.requests).toBeLessThan(110);
    expect(idsOf((await run(proxy.address)).notPassed)).toEqual(SKIPPED_OUTCOMES);
  });

  const OFF = { V1_SUNSET_AT: "2999-01-01", V1_BROWNOUTS: "2026-01-01/2998-01-01" };

  test.each<[string, Record<string, string>]>([
    ["brownout", OFF],
    ["gone", { V1_SUNSET_AT: "2026-01-01" }],
  ])("in the state %s, checks its responses and skips everything else", async (code, environment) => {
    const [port = 0] = await findFreePorts(1);
    const url = `http://127.0.0.1:${port}`;
    await serveDatabase(name, { environment: { ...environment, PORT: String(port), PUBLIC_URL: url } });
    const { outcomes } = await run(url);
    const passed = outcomes.filter(({ result }) => result === "pass");
    expect(passed.map(({ clause }) => clause)).toEqual(SKIPPED);
    expect(passed[0]?.observed).toBe(`5 responses with the code ${code}`);
    expect(outcomes.filter(({ result }) => result === "fail")).toEqual([]);
    // The specification knows no 410.
    const spec = await run(url, clausesOf("spec"));
    expect(idsOf(spec.notPassed)).toContain("fail list-response");
  });

  test("fails on a server in a brownout that caches its responses", async () => {
    const off = await serveDatabase(name, { environment: OFF });
    const broken = await proxyTo(off.address);
    broken.breakWith({ changeResponse: ({ headers }) => (headers["cache-control"] = "public, max-age=60") });
    const { notPassed } = await run(broken.address);
    broken.close();
    expect(idsOf(notPassed)).toContain("fail switched-off");
  });

  test("passes with the default rate limits, and obeys Retry-After", async () => {
    const limited = await serveDatabase(name, {
      environment: { RATE_LIMIT_ANONYMOUS: "250", RATE_LIMIT_KEYS: "2500" },
    });
    const { notPassed, outcomes } = await run(limited.address);
    expect(idsOf(notPassed)).toEqual(SKIPPED_OUTCOMES);
    const policy = outcomes.find(({ clause }) => clause === "rate-limit-policy");
    expect(policy?.observed).toContain('"anonymous";q=250;w=10');
  });

  test("passes with a key on a server that requires one", async () => {
    const { token } = await issueKey(database, { label: "kit", contact: "kit@example.org", expiresAt: null });
    const required = await serveDatabase(name, { environment: { AUTH_MODE: "required" } });
    const { notPassed } = await run(required.address, clausesOf("credence"), token);
    expect(idsOf(notPassed)).toEqual(SKIPPED_OUTCOMES);
  });

  test("has a breakage for every clause", () => {
    expect(Object.keys(BREAKAGES).sort()).toEqual(CLAUSES.map(({ id }) => id).sort());
  });

  test.each(CLAUSES.map((clause) => [clause.id, clause] as const))(
    "fails %s on a server that breaks it",
    async (id, clause) => {
      proxy.breakWith(BREAKAGES[id] ?? {});
      const { outcomes } = await run(proxy.address, [clause]);
      proxy.breakWith({});
      expect(outcomes).toEqual([
        {
          clause: id,
          level: clause.level,
          result: "fail",
          rule: clause.rule,
          observed: expect.any(String),
          expected: expect.any(String),
          why: clause.why,
        },
      ]);
    },
  );

  test("passes at level spec on a server that differs from Credence where the specification allows it", async () => {
    const minimal = await minimalServer(people.filter(({ passport }) => !passport.merged));
    const { notPassed } = await run(minimal.address, clausesOf("spec"));
    expect(notPassed).toEqual([]);
    const { outcomes } = await run(minimal.address);
    expect(outcomes.filter(({ result }) => result === "fail").length).toBeGreaterThan(20);
    minimal.close();
  });
});

describe("credence-conformance", async () => {
  const { address } = await serving(people);
  const proxy = await proxyTo(address);
  afterAll(proxy.close);
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const command = async (...args: string[]) => {
    const run = promisify(execFile)(process.execPath, [main, ...args], { maxBuffer: 1e8 });
    return run.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code: code as number, stdout: String(stdout), stderr: String(stderr) }),
    );
  };

  test("exits with 0 and prints a line for every check and a summary", async () => {
    const { code, stdout } = await command(address, "--rate", "1000");
    expect(code).toBe(0);
    const { length } = CLAUSES;
    const passed = length - SKIPPED.length;
    expect(stdout).toContain(`${length} checks, `);
    expect(stdout).toContain(`requests: ${passed} passed, 0 failed, ${SKIPPED.length} skipped. The server conforms.`);
    expect(stdout.match(/^pass {6}(spec|credence) /gm)).toHaveLength(passed);
  });

  test("exits with 1 and prints the rule, expectation and reason of a failed check", async () => {
    proxy.breakWith(BREAKAGES["etag-weak"] ?? {});
    const { code, stdout } = await command(proxy.address, "--rate", "1000");
    expect(code).toBe(1);
    expect(stdout).toMatch(/fail {6}credence {2}etag-weak.*\n.*rule: .*\n.*expected: W\/.*\n.*why: /);
    const json = await command(proxy.address, "--rate", "1000", "--json", "--level", "spec");
    expect(JSON.parse(json.stdout)).toMatchObject({ conforms: true, requests: expect.any(Number) });
    proxy.breakWith({});
  });

  test("exits with 1 and advice for a wrong URL and a wrong key", async () => {
    const wrongUrl = await command(`${address}/api/v1`, "--rate", "1000");
    expect(wrongUrl).toMatchObject({ code: 1, stderr: expect.stringContaining("without /api/v1") });
    expect(wrongUrl.stdout).toContain(`1 failed, ${CLAUSES.length - 1} skipped`);
    const wrongKey = await command(address, "--key", "wrong", "--rate", "1000");
    expect(wrongKey).toMatchObject({ code: 1, stderr: expect.stringContaining("add --key") });
  });

  test("exits with 1 if both compared servers return the same error", async () => {
    for (const args of [
      [`${address}/x`, "--compare", `${address}/x`],
      [address, "--key", "wrong", "--compare", address],
    ]) {
      const { code, stderr } = await command(...args);
      expect(code).toBe(1);
      expect(stderr).toContain("nothing to compare");
    }
    const equal = await command(address, "--compare", address, "--rate", "1000", "--pages", "1");
    expect(equal).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/, 25 people\. The servers do not differ\.\n$/),
    });
  });

  test("does not fail if the reader closes the pipe early", async () => {
    const { stderr } = await promisify(execFile)("bash", [
      "-c",
      `"${process.execPath}" "${main}" ${address} --rate 1000 | head -3`,
    ]);
    expect(stderr).toBe("");
  });

  test("exits with 1 for an unreachable server and with 2 for invalid usage", async () => {
    const unreachable = await command("http://127.0.0.1:1");
    expect(unreachable.code).toBe(1);
    expect(unreachable.stderr).toContain("request to http://127.0.0.1:1 failed");
    expect((await command("localhost")).code).toBe(2);
    expect((await command(address, "--level", "high")).code).toBe(2);
    expect((await command(address, "--key", "")).code).toBe(2);
    expect((await command("--help")).code).toBe(0);
  });
});
