import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, expect, test, vi } from "vitest";
import { Client } from "./client.ts";

// Only a delay advances the fake clock, so the clock shows the sum of all delays.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (ms: number) => void vi.advanceTimersByTime(ms),
}));

test("limits the request rate", async () => {
  const server = createServer((_, response) => void response.end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  vi.useFakeTimers({ toFake: ["performance"], now: 0 });
  afterAll(() => {
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
