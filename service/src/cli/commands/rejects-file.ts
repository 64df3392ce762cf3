import { accessSync, closeSync, constants, existsSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { Failure } from "#cli/terminal/failure.ts";
import { say } from "#cli/terminal/output.ts";
import type { Rejected } from "#operations/import/import-run.ts";
import { codeOf } from "#store/engine/failures.ts";

export type RejectsFile = {
  write: (rejected: Rejected) => void;
  /** Where the refused lines are; null when no file was written. */
  writtenTo: () => string | null;
  close: () => void;
};

/**
 * A file of lines that were not taken in, made with the first of them. It tells of people: only its owner may read it. A dry run that
 * was given no path goes on without the file where it cannot be written, as the summary has the reasons.
 */
export function openRejects(given: string | undefined, dryRun: boolean): RejectsFile {
  const path = given ?? `rejects-${new Date().toISOString().replaceAll(/[-:.]/g, "")}.ndjson`;
  const isNeeded = given !== undefined || !dryRun;
  if (existsSync(path)) {
    throw new Failure(`${path} is there already, from another import perhaps.`, "Name another file with --rejects.");
  }
  // Before anything is taken in: afterwards the reasons would be lost.
  if (isNeeded) orFailure(path, () => accessSync(dirname(path), constants.W_OK));
  let file: number | null = null;
  let isGivenUp = false;

  const open = (): number | null => {
    if (isNeeded) return orFailure(path, () => openSync(path, "wx", 0o600));
    try {
      return openSync(path, "wx", 0o600);
    } catch (error) {
      isGivenUp = true;
      say(
        `This folder cannot be written (${codeOf(error)}), so refused lines are not kept. Name a file with --rejects.`,
      );
      return null;
    }
  };
  return {
    write(rejected) {
      if (isGivenUp) return;
      file ??= open();
      if (file !== null) writeSync(file, `${JSON.stringify(rejected)}\n`);
    },
    writtenTo: () => (file === null ? null : path),
    close() {
      if (file !== null) closeSync(file);
    },
  };
}

function orFailure<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Failure(
      `The rejects file ${path} cannot be written: ${codeOf(error)}.`,
      "Check the path, or name a file in another folder with --rejects.",
    );
  }
}
