import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { inventDemoPeople } from "../../service/src/invent/demo.ts";
import { issueKey } from "../../service/src/operations/access/issue-key.ts";
import { serveDatabase, serving } from "../../service/testing/serving.ts";
import { BREAKAGES } from "../testing/breakages.ts";
import { proxyTo } from "../testing/breaking-proxy.ts";
import { minimalServer } from "../testing/minimal-server.ts";
import { Asker } from "./asker.ts";
import { CLAUSES } from "./clauses/all.ts";
import { clausesOf, runClauses } from "./run.ts";

const people = inventDemoPeople();

const run = async (baseUrl: string, clauses = clausesOf("credence"), key?: string) => {
  const asker = new Asker({ baseUrl, key, rate: 10_000, timeoutMs: 10_000 });
  const outcomes = await runClauses(asker, clauses, key !== undefined);
  asker.end();
  return { outcomes, requests: asker.requests, notPassed: outcomes.filter(({ result }) => result !== "pass") };
};

describe("the kit", async () => {
  const { address, database, name } = await serving(people);
  const proxy = await proxyTo(address);
  afterAll(proxy.close);

  test("passes on our server, and through a proxy that breaks nothing, with a stated number of requests", async () => {
    const direct = await run(address);
    expect(direct.notPassed).toEqual([]);
    expect(direct.outcomes).toHaveLength(CLAUSES.length);
    expect(direct.requests).toBeLessThan(110);
    expect((await run(proxy.address)).notPassed).toEqual([]);
  });

  test("passes with a key, also where one is required", async () => {
    const { token } = await issueKey(database, { label: "kit", contact: "kit@example.org", expiresAt: null });
    const required = await serveDatabase(name, { environment: { AUTH_MODE: "required" } });
    expect((await run(required.address, clausesOf("credence"), token)).notPassed).toEqual([]);
  });

  test("has one way to break every clause", () => {
    expect(Object.keys(BREAKAGES).sort()).toEqual(CLAUSES.map(({ id }) => id).sort());
  });

  test.each(CLAUSES.map((clause) => [clause.id, clause] as const))(
    "catches a server that breaks %s",
    async (id, clause) => {
      proxy.breakWith(BREAKAGES[id] ?? {});
      const { outcomes } = await run(proxy.address, [clause]);
      proxy.breakWith({});
      expect(outcomes).toEqual([
        {
          clause: id,
          level: clause.level,
          result: "fail",
          says: clause.says,
          seen: expect.any(String),
          expected: expect.any(String),
          why: clause.why,
        },
      ]);
    },
  );

  test("at the level of the specification, passes on a server that chooses otherwise wherever it may", async () => {
    const other = await minimalServer(people.filter(({ passport }) => !passport.merged));
    const { notPassed } = await run(other.address, clausesOf("spec"));
    expect(notPassed).toEqual([]);
    const { outcomes } = await run(other.address);
    expect(outcomes.filter(({ result }) => result === "fail").length).toBeGreaterThan(20);
    other.close();
  });
});

describe("credence-conformance", async () => {
  const { address } = await serving(people);
  const proxy = await proxyTo(address);
  afterAll(proxy.close);
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const command = async (...args: string[]) => {
    const ran = promisify(execFile)(process.execPath, [main, ...args], { maxBuffer: 1e8 });
    return ran.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code: code as number, stdout: String(stdout), stderr: String(stderr) }),
    );
  };

  test("0: prints a line for every check and how many there were", async () => {
    const { code, stdout } = await command(address, "--rate", "1000");
    expect(code).toBe(0);
    expect(stdout).toMatch(/78 checks, \d+ requests: 78 passed, 0 failed, 0 not seen\. The server conforms\.\n$/);
    expect(stdout.match(/^pass {6}(spec|credence) /gm)).toHaveLength(CLAUSES.length);
  });

  test("1: a failure tells what was seen, what was expected and why it matters; as JSON too", async () => {
    proxy.breakWith(BREAKAGES["etag-weak"] ?? {});
    const { code, stdout } = await command(proxy.address, "--rate", "1000");
    expect(code).toBe(1);
    expect(stdout).toMatch(/fail {6}credence {2}etag-weak.*\n.*says: .*\n.*expected: W\/.*\n.*why: /);
    const json = await command(proxy.address, "--rate", "1000", "--json", "--level", "spec");
    expect(JSON.parse(json.stdout)).toMatchObject({ conforms: true, requests: expect.any(Number) });
    proxy.breakWith({});
  });

  test("1: a server that speaks something else, with what to do; one that wants a key", async () => {
    const other = await command(`${address}/api/v1`, "--rate", "1000");
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("without /api/v1") });
    expect(other.stdout).toMatch(/1 failed, 77 not seen/);
    const wrongKey = await command(address, "--key", "wrong", "--rate", "1000");
    expect(wrongKey).toMatchObject({ code: 1, stderr: expect.stringContaining("give --key") });
  });

  test("1: two servers that both say no are not alike", async () => {
    for (const args of [
      [`${address}/x`, "--compare", `${address}/x`],
      [address, "--key", "wrong", "--compare", address],
    ]) {
      const { code, stderr } = await command(...args);
      expect(code).toBe(1);
      expect(stderr).toContain("nothing to compare");
    }
    const alike = await command(address, "--compare", address, "--rate", "1000", "--pages", "1");
    expect(alike).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/about 25 people\. The servers answer alike\.\n$/),
    });
  });

  test("0: a reader that leaves early is no failure", async () => {
    const { stderr } = await promisify(execFile)("bash", [
      "-c",
      `"${process.execPath}" "${main}" ${address} --rate 1000 | head -3`,
    ]);
    expect(stderr).toBe("");
  });

  test("1: a server that is not there; 2: wrong usage", async () => {
    const gone = await command("http://127.0.0.1:1");
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain("could not be asked");
    expect((await command("localhost")).code).toBe(2);
    expect((await command(address, "--level", "high")).code).toBe(2);
    expect((await command(address, "--key", "")).code).toBe(2);
    expect((await command("--help")).code).toBe(0);
  });
});
