import { expect, test, vi } from "vitest";
import { createLog } from "./log.ts";
import { createLossLog } from "./log-lost-connections.ts";

test("connections of a server that break in one event are one line, which names the server", () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const onLost = createLossLog(createLog("info", { write: (line) => void lines.push(line) }));
  for (let count = 0; count < 9; count += 1) onLost("primary", new Error("terminated"));
  onLost("replica", new Error("terminated"));
  vi.advanceTimersByTime(1_000);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { server: "primary", connections: 9 },
    { server: "replica", connections: 1 },
  ]);
  onLost("primary", new Error("terminated"));
  vi.advanceTimersByTime(28_000);
  expect(lines).toHaveLength(2);
  vi.advanceTimersByTime(1_000);
  onLost("primary", new Error("terminated"));
  vi.advanceTimersByTime(1_000);
  expect(lines).toHaveLength(3);
  vi.useRealTimers();
});
