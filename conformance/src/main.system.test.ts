import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { inventDemoPeople } from "../../service/src/demo/invent/population.ts";
import { serving } from "../../service/testing/serving.ts";
import { BREAKAGES } from "../testing/breakages.ts";
import { proxyTo } from "../testing/breaking-proxy.ts";
import { CLAUSES } from "./run.ts";

/** The clauses of a state that the server is not in, and of a page that is not on this server. */
const SKIPPED = 3;

describe("credence-conformance", async () => {
  const { address } = await serving(inventDemoPeople());
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
    const passed = length - SKIPPED;
    expect(stdout).toContain(`${length} checks, `);
    expect(stdout).toContain(`requests: ${passed} passed, 0 failed, ${SKIPPED} skipped. The server conforms.`);
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
      stdout: expect.stringContaining("No difference in form, and no unexplained difference in data."),
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
