import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { whenDone } from "../../../service/testing/when-done.ts";
import { importWithFakeDelays } from "../../testing/fake-delays.ts";

const [{ Client }, { Server }] = await importWithFakeDelays(() =>
  Promise.all([import("../client.ts"), import("./ask.ts")]),
);

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date"], now: 0 }));
afterEach(() => void vi.useRealTimers());

/** A server that sends these responses, and then the last one again and again. */
async function serve(...responses: ((response: ServerResponse) => unknown)[]) {
  let at = 0;
  const server = createServer((_, response) => void responses[Math.min(at++, responses.length - 1)]?.(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = new Client({ baseUrl: `http://127.0.0.1:${port}`, maxRequestsPerSecond: 2, timeoutMs: 60_000 });
  whenDone(() => {
    client.close();
    server.close();
  });
  return new Server("OLD", client, new AbortController().signal);
}

const ok = (response: ServerResponse) => response.end("{}");
const limit = (status: number, retryAfter: string) => (response: ServerResponse) =>
  response.writeHead(status, { "Retry-After": retryAfter }).end();
const reset = (response: ServerResponse) => response.destroy();

test("waits as long as 429 and 503 say, in seconds or as a date, and keeps the rate", async () => {
  const server = await serve(limit(429, "7"), limit(503, "Thu, 01 Jan 1970 00:01:00 GMT"), ok);
  expect((await server.ask("/", "GET"))?.status).toBe(200);
  expect(Date.now()).toBe(60_000);
  await server.ask("/", "GET");
  await server.ask("/", "HEAD");
  expect(Date.now()).toBe(61_000);
  expect(server.requestCount).toBe(5);
  expect(server.retries.list()).toEqual({ "OLD: 429 with Retry-After": 1, "OLD: 503 with Retry-After": 1 });
});

test("a 503 without Retry-After and a 410 with it are responses", async () => {
  const server = await serve((response) => response.writeHead(503).end(), limit(410, "9"));
  expect((await server.ask("/", "GET"))?.status).toBe(503);
  expect((await server.ask("/", "GET"))?.status).toBe(410);
});

test("stops if the server asks to wait too long", async () => {
  const server = await serve(limit(429, "3600"));
  await expect(server.ask("/", "GET")).rejects.toThrow("OLD asks to wait 3600 seconds.");
  expect(server.requestCount).toBe(1);
});

test("retries a failed request, and stops after ten requests without a response", async () => {
  const server = await serve(reset, ok, reset);
  expect((await server.ask("/", "GET"))?.status).toBe(200);
  for (let index = 0; index < 9; index++) expect(await server.ask("/", "GET")).toBe(null);
  await expect(server.ask("/", "GET")).rejects.toThrow("OLD did not respond to 10 requests in a row");
});
