import { expect, test, vi } from "vitest";
import { createLog } from "#core/process/log.ts";
import { unavailableLogger } from "./record.ts";

test("logs unavailable responses once in ten seconds, with their number", () => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["performance"] });
  try {
    const lines: string[] = [];
    const logUnavailable = unavailableLogger(createLog("info", { write: (line) => lines.push(line) }));
    const counts = () => lines.map((line) => JSON.parse(line).requests);
    for (let index = 0; index < 100; index += 1) logUnavailable(new Error("away"));
    expect(counts()).toEqual([1]);
    vi.advanceTimersByTime(10_000);
    logUnavailable(new Error("still away"));
    expect(counts()).toEqual([1, 100]);
    expect(JSON.parse(lines[1] as string)).toMatchObject({ msg: "unavailable", err: { message: "still away" } });
  } finally {
    vi.useRealTimers();
  }
});
