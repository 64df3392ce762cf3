import { execFileSync } from "node:child_process";
import { appendFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../service/testing/folder.ts";
import { arePicturesCurrent, writePageDigest } from "./page-digest.ts";

const root = join(import.meta.dirname, "..");

test("a release is refused if a page has changed since its picture was drawn", () => {
  const clone = join(testFolder(), "clone");
  execFileSync("git", ["clone", "--quiet", root, clone]);
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  writePageDigest(clone);
  expect(arePicturesCurrent(clone)).toBe(true);
  appendFileSync(join(clone, "explorer/src/html.test.ts"), "// A test is not part of a page.\n");
  expect(arePicturesCurrent(clone)).toBe(true);

  appendFileSync(join(clone, "explorer/src/explorer.css"), "h1 { color: red }\n");
  expect(arePicturesCurrent(clone)).toBe(false);
  const release = () =>
    execFileSync(process.execPath, ["release/release.ts", "--dry-run", "99.0.0"], { cwd: clone, stdio: "pipe" });
  expect(release).toThrow("are older than the pages they show. Run `npm run pictures`");
});
