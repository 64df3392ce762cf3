import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ErrorCode, errorBody } from "@credence/contract/errors.ts";
import { whenDone } from "../../service/testing/when-done.ts";
import { STATUSES } from "../src/v1.ts";

/** A response, or what happens instead. */
type Step = { status: number; body: string; headers?: Record<string, string> } | "drop" | "silence" | "stall";

const golden = (name: string): string =>
  readFileSync(new URL(`../../contract/golden/${name}.json`, import.meta.url), "utf8");
const ok = (name: string, headers = {}): Step => ({ status: 200, body: golden(name), headers });
const fail = (code: ErrorCode, retryAfter?: string): Step => ({
  status: STATUSES[code],
  body: errorBody(code),
  headers: { "x-request-id": `id-${code}`, ...(retryAfter && { "retry-after": retryAfter }) },
});
const html = (status: number, headers = {}): Step => ({ status, body: "<h1>A proxy</h1>", headers });

/** What the server does with the requests to a scenario. The last step is repeated. */
const SCENARIOS: Record<string, Step[]> = {
  found: [ok("passport-1")],
  nulls: [ok("passport-2")],
  list: [ok("list")],
  missing: [fail("not_found")],
  "html-404": [html(404)],
  "json-404": [{ status: 404, body: '{"message":"no route"}' }],
  "limited-once": [fail("rate_limited", "0"), ok("passport-1")],
  limited: [fail("rate_limited", "0")],
  "limited-for-an-hour": [fail("rate_limited", "3600")],
  "limited-for-two-seconds": [fail("rate_limited", "2")],
  "unavailable-once": [fail("unavailable", "0"), ok("passport-1")],
  unavailable: [fail("unavailable", "0")],
  "html-503": [html(503, { "retry-after": "0" })],
  brownout: [fail("brownout", "60")],
  gone: [fail("gone")],
  unauthorized: [fail("unauthorized")],
  internal: [fail("internal")],
  "html-200": [html(200)],
  "json-200": [{ status: 200, body: "{}" }],
  "dropped-once": ["drop", ok("passport-1")],
  dropped: ["drop"],
  silent: ["silence"],
  stalled: ["stall"],
  redirected: [{ status: 302, body: "", headers: { location: "/found/elsewhere/api/v1/passports/1" } }],
  tagged: [ok("passport-1", { etag: 'W/"1"' })],
};

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "X-API-KEY, If-None-Match",
  "access-control-expose-headers":
    "Deprecation, Sunset, Link, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
};

/** A server whose paths start with a scenario and the name of a call. It counts requests by call. */
export async function startFaultServer() {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const [, scenario = "", encodedCall = ""] = request.url?.split("/") ?? [];
    const call = decodeURIComponent(encodedCall);
    const before = counts.get(call) ?? 0;
    if (request.method !== "OPTIONS") counts.set(call, before + 1);
    const steps = SCENARIOS[scenario] ?? [];
    respond(request, response, steps[before] ?? steps.at(-1) ?? fail("not_found"));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  whenDone(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, countRequests: (call: string) => counts.get(call) ?? 0 };
}

function respond(request: IncomingMessage, response: ServerResponse, step: Step): void {
  // A browser repeats a request by itself if a connection that it uses again is closed.
  const always = { ...CORS, connection: "close", "cache-control": "no-store" };
  if (request.method === "OPTIONS") response.writeHead(204, always).end();
  else if (step === "drop") request.socket.destroy();
  else if (step === "stall") response.writeHead(200, always).write('{"passport":');
  else if (typeof step === "object") {
    const isUnchanged = step.headers?.etag !== undefined && request.headers["if-none-match"] === step.headers.etag;
    response.writeHead(isUnchanged ? 304 : step.status, { ...always, ...step.headers });
    response.end(isUnchanged ? undefined : step.body);
  }
}
