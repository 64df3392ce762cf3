import { afterAll, describe, expect, test } from "vitest";
import { inventDemoPeople } from "../../service/src/demo/invent/population.ts";
import { issueKey } from "../../service/src/keys/manage/issue-key.ts";
import { findFreePorts } from "../../service/testing/free-ports.ts";
import { serveDatabase, serving } from "../../service/testing/serving.ts";
import { BREAKAGES } from "../testing/breakages.ts";
import { proxyTo } from "../testing/breaking-proxy.ts";
import { minimalServer } from "../testing/minimal-server.ts";
import { Client } from "./client.ts";
import { CLAUSES, clausesOf, runClauses } from "./run.ts";

const people = inventDemoPeople();

const run = async (baseUrl: string, clauses = clausesOf("credence"), key?: string) => {
  const client = new Client({ baseUrl, key, maxRequestsPerSecond: 10_000, timeoutMs: 10_000 });
  const outcomes = await runClauses(client, clauses, { hasKey: key !== undefined });
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

  test("with --prefix, passes on the same endpoints under another path", async () => {
    const { address: also } = await serveDatabase(name, { environment: { V1_ALSO_AT: "/api/v2" } });
    for (const prefix of ["/api/v2", "/api/v1"]) {
      const client = new Client({ baseUrl: also, prefix, maxRequestsPerSecond: 10_000, timeoutMs: 10_000 });
      const outcomes = await runClauses(client, clausesOf("credence"), { hasKey: false });
      client.close();
      expect(idsOf(outcomes.filter(({ result }) => result !== "pass"))).toEqual(SKIPPED_OUTCOMES);
    }
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

  test("a server that accepts unknown keys: three checks are open, all others pass", async () => {
    const open = await serveDatabase(name, { environment: { AUTH_MODE: "open" } });
    const { outcomes } = await run(open.address);
    const idsWith = (wanted: string) => outcomes.filter(({ result }) => result === wanted).map(({ clause }) => clause);
    expect(idsWith("fail")).toEqual([]);
    expect(idsWith("open")).toEqual(["bad-key", "error-shape", "errors-not-cached"]);
    expect(outcomes.find(({ clause }) => clause === "bad-key")?.observed).toContain("AUTH_MODE");
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
