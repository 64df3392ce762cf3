import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenDone } from "./when-done.ts";

/** A temporary folder, removed after the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "credence-test-"));
  // A process that was just stopped, such as nginx with its cache, may still delete or write a file.
  whenDone(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
