import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, expect, test, vi } from "vitest";
import { Asker } from "./asker.ts";

// Waiting moves the clock, and nothing else does: what is waited for can be counted.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (ms: number) => void vi.advanceTimersByTime(ms),
}));

test("keeps to its rate", async () => {
  const server = createServer((_, response) => void response.end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  vi.useFakeTimers({ toFake: ["performance"], now: 0 });
  afterAll(() => {
    vi.useRealTimers();
    server.close();
  });
  const asker = new Asker({ baseUrl: `http://127.0.0.1:${port}`, rate: 50, timeoutMs: 60_000 });
  const started = performance.now();
  await Promise.all(Array.from({ length: 26 }, (_, at) => asker.ask(`/api/v1/passports/${at}`)));
  asker.end();
  expect(asker.requests).toBe(26);
  // 25 pauses of a fiftieth of a second, however many ask at the same time.
  expect(performance.now() - started).toBeCloseTo(500, 6);
});
