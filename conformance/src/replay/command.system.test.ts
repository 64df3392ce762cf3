import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { whenDone } from "../../../service/testing/when-done.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

function start(args: readonly string[], input: string) {
  const child = spawn(process.execPath, [main, ...args]);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  child.stdin.on("error", () => {}).end(input);
  return { child, ended: once(child, "close").then(([code]) => ({ code: code as number, ...output })) };
}
const run = (args: readonly string[], input = "") => start(args, input).ended;

/** A server with one person whose name it says differently, and the keys that it received. */
async function serve(name: string, onRequest: () => void = () => {}, fields: object = {}) {
  const keys = new Set<unknown>();
  const passport = { passport_id: 1, ...fields, passport_profile: { display_name: name } };
  const server = createServer((request, response) => {
    onRequest();
    keys.add(request.headers["x-api-key"]);
    response.setHeader("Content-Type", "application/json");
    response.end(
      JSON.stringify(request.url?.startsWith("/api/v1/passports/") ? { passport } : { passports: [passport] }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  whenDone(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

const LOG = "/api/v1/passports/1\nHEAD /api/v1/passports/1\nPOST /api/v1/passports/1\n/api/v1/passports/1\n";

test("prints a table, and exits with 0 for equal servers and 1 for others", async () => {
  const [old, equal, other] = [await serve("Ana"), await serve("Ana"), await serve("Ben")];
  const replay = (url: string, ...options: string[]) =>
    run([old.url, "--compare", url, "--requests", "-", "--rate", "1000", ...options], LOG);
  expect(await replay(equal.url)).toEqual({
    code: 0,
    stderr: "",
    stdout: `Skipped
method other than GET and HEAD: 1

4 lines, 2 requests replayed, 1 repeated, 2 compared; 5 requests to OLD, 3 to NEW. No difference in form, and no unexplained difference in data.
`,
  });
  const [masked, shown, json] = await Promise.all([
    replay(other.url, "--key", "old-secret", "--compare-key", "new-secret"),
    replay(other.url, "--show-values"),
    replay(other.url, "--json"),
  ]);
  expect(masked.code).toBe(1);
  expect(masked.stdout).toContain(`Unexplained differences in data: 1
value  single passport.passport_profile.display_name  1 response
    OLD string, NEW string
    line 1: curl -sig -H "X-API-KEY: $OLD_KEY" '${old.url}/api/v1/passports/{id}'
    curl -sig -H "X-API-KEY: $NEW_KEY" '${other.url}/api/v1/passports/{id}'
`);
  expect(old.keys).toEqual(new Set([undefined, "old-secret"]));
  expect(other.keys).toEqual(new Set([undefined, "new-secret"]));
  expect(shown.stdout).toContain(`    OLD "Ana", NEW "Ben"\n    line 1: curl -sig '${old.url}/api/v1/passports/1'\n`);
  expect(JSON.parse(json.stdout)).toMatchObject({
    isSafe: false,
    stopped: null,
    groups: [{ class: "data", explanation: null, kind: "value", endpoint: "single", differences: 1, responses: 1 }],
  });
});

test("--accept: exits with 0 if all differences are of an accepted kind, and lists them", async () => {
  const withScore = (activity_score: number | null) => serve("Ana", () => {}, { activity_score });
  const [old, next, other] = [await withScore(null), await withScore(0), await withScore(1)];
  const replay = (url: string, ...options: string[]) =>
    run([old.url, "--compare", url, "--requests", "-", "--rate", "1000", ...options], LOG);
  const kinds = ["--accept", "html-errors", "--accept", "null-parts"];
  const [strict, accepting, json, near, unknown] = await Promise.all([
    replay(next.url),
    replay(next.url, ...kinds),
    replay(next.url, ...kinds, "--json"),
    replay(other.url, ...kinds),
    replay(next.url, "--accept", "everything"),
  ]);
  expect([strict, accepting, json, near, unknown].map(({ code }) => code)).toEqual([1, 0, 0, 1, 2]);
  expect(accepting.stdout).toContain(`Differences that you accept: 1
type  single passport.activity_score  1 response
    OLD null, NEW number #
    accepted: null-parts
`);
  expect(accepting.stdout).toContain("Differences that --accept accepts\nhtml-errors: 0\nnull-parts: 1\n");
  expect(accepting.stdout).toContain("data, but those that you accept (null-parts).\n");
  expect(JSON.parse(json.stdout)).toMatchObject({ isSafe: true, accepted: { "html-errors": 0, "null-parts": 1 } });
  expect(near.stdout).toContain("1 kinds of differences in form");
  expect(unknown.stderr).toContain("Expected one of html-errors, null-parts, null-lists.");
});

test("exits with 3 if more than 1 % of the requests for V1 have another prefix", async () => {
  const [old, equal] = [await serve("Ana"), await serve("Ana")];
  const args = [old.url, "--compare", equal.url, "--requests", "-", "--rate", "1000"];
  const { code, stdout } = await run(args, `${LOG}/api/v2/passports/1\n`);
  expect(code).toBe(3);
  expect(stdout).toContain("/api/v2/passports/{id}: 1\n");
  expect(stdout).toContain("under another prefix, which were not compared: 1.");
});

test("exits with 2 for invalid usage and for a file without requests", async () => {
  const { url } = await serve("Ana");
  const compared = [url, "--compare", url];
  const results = await Promise.all([
    run([url, "--requests", "x"]),
    run([url, "--show-values"]),
    run([...compared, "--requests", "-", "--key", "-"]),
    run([...compared, "--requests", "/nonexistent/access.log"]),
    run([...compared, "--requests", "-"], "GET /favicon.ico\n{}\n"),
  ]);
  expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
  const [withoutCompare, withShown, twoInputs, missing, empty] = results.map(({ stderr }) => stderr);
  expect(withoutCompare).toContain("--requests needs --compare");
  expect(withShown).toContain("need --compare");
  expect(twoInputs).toContain("Write the requests to a file.");
  expect(missing).toContain('"/nonexistent/access.log" cannot be read: ENOENT');
  expect(empty).toContain("2 lines, 1 path outside /api/v1, 1 not a request.");
});

test("an interrupt prints the report so far and exits with 130", async () => {
  const old = await serve("Ana");
  let requests = 0;
  const other = await serve("Ben", () => {
    requests += 1;
    // The first request is the list. At this rate, all paths would take ten seconds.
    if (requests === 4) replay.child.kill("SIGINT");
  });
  const paths = Array.from({ length: 100 }, (_, index) => `/api/v1/passports/${index}`).join("\n");
  const replay = start([old.url, "--compare", other.url, "--requests", "-", "--rate", "20"], paths);
  const { code, stdout } = await replay.ended;
  expect(code).toBe(130);
  expect(stdout).toContain("value  single passport.passport_profile.display_name  2 responses\n");
  expect(stdout).toMatch(/^3 lines, 3 requests replayed, .*\nNot complete: interrupted\n$/m);
});
