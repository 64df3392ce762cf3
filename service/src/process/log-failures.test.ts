import { pino } from "pino";
import { expect, test } from "vitest";
import { createFailureLog } from "./log-failures.ts";

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
    report("recalculate", full);
  }
  report("build the list", full);
  report("recalculate", new Error("something else"));
  expect(lines.map(({ job, failures }) => [job, failures])).toEqual([
    ["recalculate", 1],
    ["recalculate", 3],
    ["build the list", 1],
    ["recalculate", 1],
  ]);
  expect(lines[0]?.advice).toContain("The disk of the database server is full.");
});
