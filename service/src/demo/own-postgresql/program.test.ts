import { mkdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "#testing/folder.ts";
import { copyProgram } from "./program.ts";

test.each([false, true])("the copy has the links, also if npm ran the script that makes them: %s", async (hasLinks) => {
  const root = testFolder();
  const folder = join(root, "native");
  for (const name of ["bin", "lib"]) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["bin/initdb", "bin/postgres", "lib/libpq.so.5.18"]) writeFileSync(join(folder, name), "");
  const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
  writeFileSync(join(folder, "pg-symlinks.json"), JSON.stringify(links));
  if (hasLinks) symlinkSync("libpq.so.5.18", join(folder, "lib/libpq.so.5"));
  const copy = join(root, "copy");
  await copyProgram({ folder, version: "18.4.0", majorVersion: "18" }, copy);
  expect(readlinkSync(join(copy, "lib/libpq.so.5"))).toBe("libpq.so.5.18");
});
