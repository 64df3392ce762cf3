import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "#testing/folder.ts";
import { checkBackups } from "./check-backups.ts";

const HOUR_S = 3_600;

/** A backup as deploy/systemd or deploy/compose names it, made this many hours ago. */
function backUp(folder: string, path: string, hours: number): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), "");
  const at = Date.now() / 1_000 - hours * HOUR_S;
  utimesSync(join(folder, path), at, at);
}

test.each([
  ["none", [], "warning", "there is none"],
  ["an old dump of compose", [["credence-2026-11-01.dump", 49]], "warning", "older than two days"],
  [
    "a new one beside it",
    [
      ["credence-2026-11-01.dump", 49],
      ["credence-2026-11-03.dump", 1],
    ],
    "ok",
    "newest of 2",
  ],
  ["an old folder of systemd", [["20261101T020000Z/credence.dump", 49]], "warning", "older than two days"],
  ["a new one", [["20261103T020000Z/credence.dump", 47]], "ok", "20261103T020000Z"],
] as const)("%s", async (_, backups, state, finding) => {
  const backupFolder = testFolder();
  for (const [path, hours] of backups) backUp(backupFolder, path, hours);
  const found = await checkBackups({ backupFolder });
  expect(found).toMatchObject({ state, finding: expect.stringContaining(finding) });
});

test("a folder that cannot be read", async () => {
  expect(await checkBackups({ backupFolder: "/nowhere" })).toMatchObject({
    state: "warning",
    finding: "/nowhere cannot be read: ENOENT",
  });
});
