import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { testFolder } from "#testing/folder.ts";
import { REJECT_NULLS } from "./null-values.ts";
import { openPrevious } from "./previous.ts";

test.each([
  [undefined, 0],
  [0, 1],
  [28, 29],
  [29, 0],
])("after a run with part %s comes part %d", async (part, next) => {
  const folder = join(testFolder(), "run");
  await runCommand(["generate", "--people", "3", "--out", folder]);
  const file = join(folder, "manifest.json");
  const collected = { basis: "test", ...(part !== undefined && { part }) };
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), collected }));
  expect((await openPrevious(folder, REJECT_NULLS)).part).toBe(next);
});
