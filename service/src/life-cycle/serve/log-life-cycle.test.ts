import { expect, test, vi } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { createLog } from "#core/process/log.ts";
import { whenDone } from "#testing/when-done.ts";
import { logLifeCycle } from "./log-life-cycle.ts";

const HOUR_MS = 3_600_000;

test("logs the state of V1 at the start, and each change", () => {
  vi.useFakeTimers({ now: new Date("2027-06-01T14:00:00Z") });
  whenDone(() => void vi.useRealTimers());
  const lines: string[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(line) });
  const V1_BROWNOUTS = "2027-06-01T15:00:00Z/2027-06-01T16:00:00Z";
  const { stop } = logLifeCycle(log, readConfig({ V1_SUNSET_AT: "2027-06-30", V1_BROWNOUTS }));
  vi.advanceTimersByTime(60 * 24 * HOUR_MS);
  stop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "info", state: "announced", until: "2027-06-01T15:00:00.000Z", msg: "V1 is switched on" },
    { level: "warn", state: "brownout", until: "2027-06-01T16:00:00.000Z", msg: "every V1 request gets 410" },
    { level: "info", state: "announced", until: "2027-06-30T00:00:00.000Z" },
    { level: "warn", state: "gone" },
  ]);
});
