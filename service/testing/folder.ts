import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenDone } from "./when-done.ts";

/** A temporary folder, removed after the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "credence-test-"));
  whenDone(() => rmSync(folder, { recursive: true }));
  return folder;
}
