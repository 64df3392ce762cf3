import openapi from "@credence/contract/openapi.json" with { type: "json" };
import Fastify from "fastify";
import { describe, expect, test } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { OWN_SEGMENTS } from "#core/config/config-values.ts";
import { VERSION } from "#core/config/version.ts";
import { docs } from "#explorer/docs/docs.ts";
import { explorer } from "#explorer/pages/explorer.ts";
import { prepareSite } from "#explorer/site/site.ts";
import { holder } from "#holders/serve/holder.ts";
import { person } from "#testing/people.ts";
import { request, sendRaw } from "#testing/raw-http.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { v1 } from "#v1/routes.ts";
import type { Deps } from "./deps.ts";
import { health } from "./health.ts";

describe("public port", async () => {
  const { address, privateAddress, name } = await serving([person(1)]);

  test("V1's routes are the paths of openapi.json", async () => {
    const app = Fastify();
    const routes = new Set<string>();
    app.addHook("onRoute", ({ url }) => void routes.add(url.replace(/:(\w+)/g, "{$1}")));
    await app.register((scope) => v1(scope, { config: readConfig({}), responder: {} } as Deps));
    expect([...routes].sort()).toEqual(Object.keys(openapi.paths).sort());
  });

  test("no prefix of V1_ALSO_AT can be a route of this server", async () => {
    const app = Fastify();
    const segments = new Set<string>();
    app.addHook("onRoute", ({ url }) => void segments.add(url.split("/")[1] ?? ""));
    const site = prepareSite(readConfig({}));
    const deps = { config: readConfig({}), responder: {}, site, readers: {}, signatures: {} } as Deps;
    for (const routes of [docs, explorer, holder]) await routes(app, deps);
    health(app, deps);
    // A prefix has no dots, and `api` is checked with its next part.
    const ours = [...segments].filter((segment) => /^[a-z0-9-]+$/.test(segment) && segment !== "api");
    expect(ours.sort()).toEqual([...OWN_SEGMENTS].sort());
  });

  test("/health reports readiness, version and data age only", async () => {
    expect(await (await fetch(`${address}/health/live`)).json()).toEqual({ live: true, version: VERSION });
    const ready = await fetch(`${address}/health/ready`);
    expect(ready.status).toBe(200);
    expect(ready.headers.get("cache-control")).toBe("no-store");
    expect(await ready.json()).toEqual({
      ready: true,
      version: VERSION,
      data_age_seconds: expect.any(Number),
      unlisted_seconds: 0,
    });
  });

  test("metrics and details are on the private port only", async () => {
    await (await fetch(`${address}/api/v1/passports/1`)).text();
    await (await fetch(`${address}/api/v1/passports/2`)).text();
    const metrics = await (await fetch(`${privateAddress}/metrics`)).text();
    expect(metrics).toMatch(/credence_http_requests_total\{route="\/api\/v1\/passports\/:id",status="200"\} \d+/);
    expect(metrics).toMatch(/credence_http_requests_total\{route="\/api\/v1\/passports\/:id",status="404"\} \d+/);
    expect(metrics).toContain("credence_standing_people 1");
    expect(metrics).toMatch(/credence_standing_built_timestamp_seconds \d+/);
    expect(await (await fetch(`${privateAddress}/health`)).json()).toMatchObject({
      ready: true,
      standing: { epoch: 2, total: 1 },
      schema: { pending: [], unknown: [] },
    });
    expect((await fetch(`${address}/metrics`)).status).toBe(404);
    expect((await fetch(`${address}/health`)).status).toBe(404);
    expect(await (await fetch(`${privateAddress}/`)).json()).toEqual({
      error: "Not found. This port has /metrics, /health and /settings.",
    });
  });

  test("accepts a request id from a trusted proxy only, and only with safe characters", async () => {
    const idOf = async (server: string, requestId: string) =>
      (await sendRaw(server, request("/api/v1/passports/1", [`X-Request-Id: ${requestId}`]))).headers["x-request-id"];
    expect(await idOf(address, "mine")).toMatch(/^[0-9a-f-]{36}$/);
    const trusting = await serveDatabase(name, { environment: { TRUSTED_PROXIES: "10.0.0.0/8,127.0.0.0/8" } });
    expect(await idOf(trusting.address, "mine")).toBe("mine");
    expect(await idOf(trusting.address, "<script>")).toMatch(/^[0-9a-f-]{36}$/);
    const distrusting = await serveDatabase(name, { environment: { TRUSTED_PROXIES: "10.0.0.0/8" } });
    expect(await idOf(distrusting.address, "mine")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("logs", async () => {
  test("contain no API key, wherever the client sends it", async () => {
    const { address, logs, database } = await serving([person(1)], {
      environment: { TRUSTED_PROXIES: "127.0.0.0/8" },
    });
    const key = "crd_SecretSecretSecret";
    const send = (path: string, headers: string[] = []) => sendRaw(address, request(path, headers));
    for (let index = 0; index < 120; index++) {
      await send(`/api/v1/passports/1?api_key=${key}`, [`X-API-KEY: ${key}`, `Authorization: Bearer ${key}`]);
      await send(`/api/v1/passports/${key}?x-api-key=${key}`, [`Cookie: ${key}`, `Referer: https://x/?k=${key}`]);
    }
    await database.query("alter table passport_document rename to moved");
    expect((await send(`/api/v1/passports/1?key=${key}`, [`Cookie: ${key}`])).status).toBe(500);
    await send(`/${key}`, [`X-${key}: ${key}`]);
    await send(`/docs?api_key=${key}`, ["X-Forwarded-Host: <>"]);
    await sendRaw(address, `GET ${key} ${key}\r\n\r\n`);
    expect(logs.some((line) => line.includes('"answered"'))).toBe(true);
    expect(logs.some((line) => line.includes("passport_document"))).toBe(true);
    expect(logs.join("")).not.toContain("SecretSecret");
  });
});
