import { accessSync, closeSync, constants, existsSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Rejected } from "#operations/import-run.ts";
import { Failure } from "./failure.ts";

export type RejectsFile = { path: string; write: (rejected: Rejected) => void; close: () => void };

/** A file of lines that were not taken in, made with the first of them. It tells of people: only its owner may read it. */
export function openRejects(path: string): RejectsFile {
  if (existsSync(path)) {
    throw new Failure(`${path} is there already, from another import perhaps.`, "Name another file with --rejects.");
  }
  accessSync(dirname(path), constants.W_OK);
  let file: number | null = null;
  return {
    path,
    write(rejected) {
      file ??= openSync(path, "wx", 0o600);
      writeSync(file, `${JSON.stringify(rejected)}\n`);
    },
    close() {
      if (file !== null) closeSync(file);
    },
  };
}
