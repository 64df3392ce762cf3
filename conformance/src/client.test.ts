import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { importWithFakeDelays } from "../testing/fake-delays.ts";

const { Client } = await importWithFakeDelays(() => import("./client.ts"));

test("limits the request rate", async () => {
  const server = createServer((_, response) => void response.end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  vi.useFakeTimers({ toFake: ["performance"], now: 0 });
  onTestFinished(() => {
    vi.useRealTimers();
    server.close();
  });
  const client = new Client({
    baseUrl: `http://127.0.0.1:${port}`,
    maxRequestsPerSecond: 50,
    timeoutMs: 60_000,
  });
  const started = performance.now();
  await Promise.all(Array.from({ length: 26 }, (_, id) => client.request(`/api/v1/passports/${id}`)));
  client.close();
  expect(client.requestCount).toBe(26);
  // 25 delays of 20 ms, although the requests are concurrent.
  expect(performance.now() - started).toBeCloseTo(500, 6);
});
