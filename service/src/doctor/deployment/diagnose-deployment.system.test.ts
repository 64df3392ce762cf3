import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { createAuthority } from "#testing/certificates.ts";
import { testDatabase } from "#testing/database.ts";
import { type DeploymentOptions, deploy } from "#testing/deployment.ts";
import { testFolder } from "#testing/folder.ts";
import { relayTo } from "#testing/relay.ts";
import { urlOf } from "#testing/server.ts";
import { serveDatabase } from "#testing/serving.ts";
import { checkPrivatePort } from "./check-private-port.ts";
import { diagnoseDeployment } from "./diagnose-deployment.ts";
import { createSend } from "./send.ts";

describe("a deployment behind nginx", async () => {
  const { name, database } = await testDatabase();
  await savePeople(database, inventDemoPeople());
  await refreshStanding(database);
  const authority = await createAuthority(testFolder());
  setDefaultCACertificates([...getCACertificates(), authority.ca]);
  const certificate = await authority.issue("localhost", 30);

  /** The checks that are not ok, with their states. */
  async function findingsOf(options: Partial<DeploymentOptions>): Promise<Record<string, string>> {
    const checks = await diagnoseDeployment(await deploy(name, { certificate, ...options }));
    const found = checks.filter(({ state }) => state !== "ok");
    for (const { finding, advice } of found) {
      expect(finding).toMatch(/\w/);
      expect(advice).toMatch(/\.$/);
    }
    return Object.fromEntries(found.map((check) => [check.name, check.state]));
  }

  test.each(["", "/v1"])("without a mistake, every check is done and ok, with the path %j", async (path) => {
    const checks = await diagnoseDeployment(await deploy(name, { certificate, path }));
    expect(checks.filter(({ state, finding }) => state !== "ok" || finding.startsWith("not checked"))).toEqual([]);
    expect(checks.map((check) => check.name)).toEqual([
      ...["v1", "tls", "redirect", "hsts", "headers", "public url", "preflight", "request id", "private port"],
      ...["etag", "compression", "cache", "keys", "other paths", "readiness", "version", "data age", "clock"],
    ]);
    const finding = checks.find((check) => check.name === "cache")?.finding;
    expect(finding).toBe("a shared cache keeps pages apart");
  });

  /** Replaces a line of the configuration; fails if it is absent. */
  const edit =
    (line: string, replacement: string) =>
    (config: string): string => {
      expect(config).toContain(line);
      return config.replace(line, () => replacement);
    };
  const addToLocation = (lines: string) => edit("proxy_cache v1;", `proxy_cache v1; ${lines}`);
  const hide = (header: string) => addToLocation(`proxy_hide_header ${header};`);

  test.each<[mistake: string, change: (config: string) => string, expected: Record<string, string>]>([
    [
      "TLS 1.1 is accepted",
      edit("TLSv1.2 TLSv1.3", "TLSv1.1 TLSv1.2; ssl_ciphers DEFAULT@SECLEVEL=0"),
      { tls: "warning" },
    ],
    [
      "plain http serves V1",
      (config) => config.replace(/return 301 .*;/, `location / { ${/proxy_pass .*;/.exec(config)?.[0]} }`),
      { redirect: "problem" },
    ],
    ["the redirect loses the path", edit("$request_uri;\n}\n", "/;\n}\n"), { redirect: "warning" }],
    ["the redirect is temporary", edit("return 301", "return 302"), { redirect: "warning" }],
    ["no HSTS", edit("add_header Strict-Transport-Security max-age=31536000 always;", ""), { hsts: "warning" }],
    ["the Deprecation header is removed", hide("Deprecation"), { headers: "problem" }],
    ["the ETag header is removed", hide("ETag"), { headers: "problem" }],
    [
      "a second CORS header",
      edit("gzip on;", "gzip on; add_header Access-Control-Allow-Origin *;"),
      { headers: "problem", preflight: "problem" },
    ],
    [
      "the ETag is changed by compression",
      (config) =>
        `map $upstream_http_etag $gzip_etag { ~^W/"(?<tag>.*)"$ 'W/"$tag-gzip"'; }
         map $http_accept_encoding $etag { default $upstream_http_etag; ~gzip $gzip_etag; }
         ${hide("ETag")(edit("gzip on;", "gzip on; add_header ETag $etag;")(config))}`,
      { etag: "problem" },
    ],
    ["no compression", edit("gzip on;", ""), { compression: "warning" }],
    [
      "Cache-Control is replaced",
      (config) =>
        hide("Cache-Control")(edit("gzip on;", "gzip on; add_header Cache-Control 'public, max-age=86400';")(config)),
      { cache: "problem" },
    ],
    ["the cache key has the page only", edit("$request_uri;", "$uri$arg_page;"), { cache: "problem" }],
    ["the cache key has no query", edit("$request_uri;", "$uri;"), { cache: "problem" }],
    [
      "the cache ignores keys",
      (config) => addToLocation("proxy_ignore_headers Vary;")(edit("proxy_cache_bypass $http_x_api_key;", "")(config)),
      { keys: "problem" },
    ],
    [
      "the cache stores 401",
      (config) =>
        addToLocation("proxy_ignore_headers Cache-Control Vary; proxy_cache_valid any 1m;")(
          config.replace(/proxy_(cache_bypass|no_cache) .*;/g, ""),
        ).replace("proxy_cache_key $request_uri;", "proxy_cache_key $request_uri$http_x_api_key;"),
      { keys: "problem" },
    ],
    ["keys are removed", addToLocation('proxy_set_header X-API-KEY "";'), { keys: "problem" }],
    [
      "the request id of clients is forwarded",
      edit("proxy_set_header X-Request-Id $request_id;", ""),
      { "request id": "warning" },
    ],
    [
      "preflights are refused",
      addToLocation("if ($request_method = OPTIONS) { return 405; }"),
      { preflight: "problem" },
    ],
    [
      "/health/ready is blocked",
      edit("location / {", "location /health/ { return 404; } location / {"),
      { readiness: "warning" },
    ],
    [
      "Credence is not running",
      (config) => config.replace(/proxy_pass .*;/, "proxy_pass http://127.0.0.1:1;"),
      { node: "problem" },
    ],
  ])("%s", async (_mistake, change, expected) => {
    expect(await findingsOf({ change })).toEqual(expected);
  });

  test.each([
    ["an expired certificate", "localhost", -1, "problem"],
    ["a certificate that expires soon", "localhost", 5, "warning"],
    ["a certificate for another name", "api.example.org", 30, "problem"],
  ])("%s", async (_mistake, host, days, state) => {
    expect(await findingsOf({ certificate: await authority.issue(host, days) })).toEqual({ tls: state });
  });

  test("a certificate of an unknown authority", async () => {
    const unknown = await createAuthority(testFolder());
    expect(await findingsOf({ certificate: await unknown.issue("localhost", 30) })).toEqual({ tls: "problem" });
  });

  test.each(["/metrics", "/health"])("%s is public", async (path) => {
    const change = (config: string, address: string) =>
      edit("location / {", `location = ${path} { proxy_pass ${address}; } location / {`)(config);
    expect(await findingsOf({ change })).toEqual({ "private port": "problem" });
  });

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ["PUBLIC_URL is not set", { PUBLIC_URL: "" }, { "public url": "problem" }],
    ["V1_DOCS_URL is plain http", { V1_DOCS_URL: "http://localhost/docs" }, { "public url": "problem" }],
    ["V1 has ended", { V1_SUNSET_AT: "2026-01-01" }, { v1: "warning" }],
    ["V1 is in a brownout", { V1_SUNSET_AT: "2999-01-01", V1_BROWNOUTS: "2026-01-01/2998-01-01" }, { v1: "warning" }],
    ["unknown keys are allowed", { AUTH_MODE: "open" }, {}],
    ["keys are required", { AUTH_MODE: "required" }, {}],
  ])("%s", async (_mistake, environment, expected) => {
    expect(await findingsOf({ environment })).toEqual(expected);
  });

  test("in open mode, the cache ignores keys", async () => {
    const change = (config: string) =>
      addToLocation("proxy_ignore_headers Vary;")(edit("proxy_cache_bypass $http_x_api_key;", "")(config));
    expect(await findingsOf({ change, environment: { AUTH_MODE: "open" } })).toEqual({ keys: "problem" });
  });

  test("with the node stopped, a cached copy does not look like V1", async () => {
    const { stop, ...target } = await deploy(name, {
      certificate,
      change: addToLocation("proxy_cache_use_stale error timeout;"),
    });
    const load = async () => {
      // As the command sends it: nginx has a copy for each Accept-Encoding.
      const headers = { "accept-encoding": "identity" };
      return (await fetch(`${target.url}/api/v1/passports`, { headers })).status;
    };
    expect(await load()).toBe(200);
    await stop();
    expect(await load()).toBe(200);
    expect(await diagnoseDeployment(target)).toMatchObject([
      { name: "node", state: "problem", finding: expect.stringContaining("other responses are copies of its cache") },
    ]);
  });

  test("the database is unreachable", async () => {
    const relay = await relayTo(urlOf(name));
    relay.set("cut");
    expect(await findingsOf({ through: relay.through })).toEqual({ v1: "problem", readiness: "problem" });
  });

  test("changes are not in the list; its age alone means nothing", async () => {
    await database.query("update standing_epoch set built_at = built_at - interval '2 days'");
    expect(await findingsOf({})).toEqual({});
    await database.query("update people_change set number = number + 1, unlisted_since = now() - interval '3 hours'");
    // The epoch is cached for a second.
    await expect.poll(() => findingsOf({})).toEqual({ "data age": "warning" });
    await database.query("update people_change set number = number - 1");
    await database.query("update standing_epoch set built_at = built_at + interval '2 days'");
  });

  test("the private port is open to other machines", async () => {
    const { address, privateAddress } = await serveDatabase(name);
    const privatePort = Number(new URL(privateAddress).port);
    // Not a loopback address by its value, but it leads to this machine.
    const origin = new URL("https://0.0.0.0");
    const site = { send: createSend(), url: address, origin, isLocal: false, privatePort };
    expect(await checkPrivatePort(site)).toMatchObject({ state: "problem" });
    expect(await checkPrivatePort({ ...site, privatePort: 1 })).toMatchObject({ state: "ok" });
    expect(await checkPrivatePort({ ...site, isLocal: true })).toMatchObject({ state: "ok" });
  });
});
