import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { SnapshotRefused } from "#core/files/refused.ts";
import { createLog } from "./log.ts";
import { createFailureLog, createLossLog } from "./log-failures.ts";

test("the same failure of a job is logged once in ten seconds, with what to do", () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const report = createFailureLog(
    pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) }),
    () => now,
  );
  const full = Object.assign(new Error("could not extend file"), { code: "53100" });
  for (const at of [0, 2_000, 4_000, 10_000]) {
    now = at;
    report("build", full);
  }
  report("build the list", full);
  report("build", new Error("something else"));
  expect(lines.map(({ job, failures }) => [job, failures])).toEqual([
    ["build", 1],
    ["build", 3],
    ["build the list", 1],
    ["build", 1],
  ]);
  expect(lines[0]?.advice).toContain("The disk of the database server is full.");
});

test("what says itself what to do has no stack trace, anything else has", () => {
  const lines: string[] = [];
  const report = createFailureLog(createLog("info", { write: (line) => void lines.push(line) }));
  report("follow", new SnapshotRefused("The file is older.", "Ask the publisher."));
  report("build the list", new TypeError("a mistake of the program"));
  const [refused, mistake] = lines.map((line) => JSON.parse(line));
  expect(refused).toMatchObject({ advice: "Ask the publisher.", reason: "The file is older." });
  expect(refused).not.toHaveProperty("err");
  expect(mistake.err.stack).toContain("log-failures.test");
});

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
