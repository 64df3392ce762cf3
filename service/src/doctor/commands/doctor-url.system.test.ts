import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { Check } from "#core/terminal/check.ts";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { createAuthority } from "#testing/certificates.ts";
import { runCommand, startCommand } from "#testing/command.ts";
import { deploy } from "#testing/deployment.ts";
import { testFolder } from "#testing/folder.ts";
import { serving } from "#testing/serving.ts";
import { whenDone } from "#testing/when-done.ts";

describe("doctor --url", async () => {
  const { name, address } = await serving(inventDemoPeople());
  const authority = await createAuthority(testFolder());
  const certificate = await authority.issue("localhost", 30);
  const { url, httpPort } = await deploy(name, { certificate });
  const args = ["doctor", "--url", `${url}/`, "--http-port", `${httpPort}`];

  test("0: a deployment with a certificate of a private CA, without DATABASE_URL", async () => {
    // Node reads the variable when it starts.
    const { code, stdout, stderr } = await startCommand(args, { NODE_EXTRA_CA_CERTS: authority.caFile }).ended;
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ok {7}tls {12}TLSv1\.3, certificate valid for localhost, expires in \d+ days$/m);
    expect(stdout).toMatch(/^(ok {7}.*\n)+\n18 checks: 18 ok, 0 warnings, 0 problems\.\n$/);
  });

  test("3: the same without trust in the CA; prints JSON", async () => {
    const { code, stdout, stderr } = await runCommand([...args, "--json"]);
    expect(code).toBe(3);
    expect(stderr).toContain("1 check failed");
    const { healthy, checks } = JSON.parse(stdout) as { healthy: boolean; checks: Check[] };
    expect(healthy).toBe(false);
    expect(checks.filter(({ state }) => state !== "ok")).toMatchObject([
      { name: "tls", state: "problem", advice: expect.stringContaining("NODE_EXTRA_CA_CERTS") },
    ]);
  });

  test("0: a server on this machine without a proxy: what a proxy does is not checked", async () => {
    const { code, stdout } = await runCommand(["doctor", "--url", address, "--json"]);
    expect(code).toBe(0);
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    expect(checks.filter(({ state }) => state !== "ok")).toMatchObject([{ name: "compression", state: "warning" }]);
  });

  test("2: wrong usage", async () => {
    for (const wrong of [
      ["--url", "ftp://x"],
      ["--url", "https://user:secret@x"],
      ["--url", "x", "--http-port", "y"],
      ["--http-port", "80"],
    ]) {
      expect((await runCommand(["doctor", ...wrong])).code, wrong.join(" ")).toBe(2);
    }
  });

  test.each([
    ["nothing listens", "http://127.0.0.1:1", /ECONNREFUSED.*\n.*Start the proxy/],
    ["the name has no address", "https://credence.invalid", /credence\.invalid.*\n.*DNS/],
    ["https on a port of plain http", address.replace("http:", "https:"), /TLS handshake failed/],
    ["plain http on a port of https", url.replace("https:", "http:"), /responds with 400/],
  ])("3: %s: one check with advice", async (_case, target, expected) => {
    const { code, stdout } = await runCommand(["doctor", "--url", target]);
    expect(code).toBe(3);
    expect(stdout).toMatch(expected);
    expect(stdout).toMatch(/^problem {2}/);
    expect(stdout).not.toMatch(/^ok {7}(?!tls)/m);
  });
});

/** Starts a server that sends the same bytes to every client. */
async function sendAlways(bytes: Buffer | string, repeats: boolean): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    const repeat = () => {
      while (!socket.destroyed && socket.write(bytes));
      socket.once("drain", repeat);
    };
    socket.once("data", () => (repeats ? repeat() : socket.end(bytes)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  whenDone(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PAGE = '{"passports":[],"pagination":{"current_page":"\\u001b[2J","last_page":1,"total":0}}';
const READY = '{"pagination":{},"ready":true,"version":"\\u001b[2J\\u202e","data_age_seconds":1e300}';

test.each([
  ["no HTTP", Buffer.from("\x1b[2J\n"), false],
  ["nothing", "", false],
  ["a status without an end", "HTTP/1.1 101 \x1b[2J\r\n\r\n", false],
  ["control characters in headers", Buffer.from("HTTP/1.1 302 x\r\nLocation: \x9b2J\x85\r\n\r\n", "latin1"), false],
  ["headers without an end", "HTTP/1.1 200 OK\r\nX: ".padEnd(100_000, "x"), true],
  ["a body without an end", `HTTP/1.1 200 OK\r\n\r\n${"x".repeat(100_000)}`, true],
  ["a page with wrong types", `HTTP/1.1 200 OK\r\nLink: <\x9b>; rel="first"\r\nDate: \x9b\r\n\r\n${PAGE}`, false],
  ["control characters in the version", `HTTP/1.1 200 OK\r\nETag: \x9b\r\nCache-Control: \x9b\r\n\r\n${READY}`, false],
  ["a body that is no object", "HTTP/1.1 200 OK\r\n\r\nnull", false],
])("a server that sends %s cannot break the command or the terminal", async (_case, bytes, repeats) => {
  const target = await sendAlways(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes, repeats);
  const { code, stdout, stderr } = await runCommand(["doctor", "--url", target]);
  expect(code, stdout + stderr).toBe(3);
  expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  expect(stderr).toMatch(/^\d+ checks? failed\. See the lines above for what to do\.\n$/);
});
