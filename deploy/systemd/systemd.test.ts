import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const MAX_EXPOSURE = 2;
const UNITS = ["credence.service", "credence-worker.service"];
const pathOf = (unit: string): string => join(import.meta.dirname, unit);

test.each(UNITS)("%s: the exposure is low", (unit) => {
  const output = execFileSync("systemd-analyze", ["security", "--offline=true", "--no-pager", pathOf(unit)], {
    encoding: "utf8",
  });
  const [, exposure] = /exposure level for .*: ([\d.]+)/.exec(output) ?? [];
  expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
});

test("both units have the same hardening", () => {
  const [server, worker] = UNITS.map((unit) => readFileSync(pathOf(unit), "utf8").replace(/.*^CapabilityBound/ms, ""));
  expect(worker).toBe(server);
});
