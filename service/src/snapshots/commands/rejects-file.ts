import { accessSync, closeSync, constants, existsSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "#core/database/failures.ts";
import { Failure } from "#core/terminal/failure.ts";
import { printMessage } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import type { Rejected } from "#snapshots/import/import-run.ts";

export type RejectsFile = {
  write: (rejected: Rejected) => void;
  /** The path of the file; null when none was written. */
  writtenTo: () => string | null;
  close: () => void;
};

/**
 * A file of refused lines, created with the first of them. It contains personal data: only its
 * owner may read it. A dry run without --rejects goes on if the file cannot be created: the summary
 * has the reasons.
 */
export function openRejects(terminal: Terminal, option: string | undefined, dryRun: boolean): RejectsFile {
  const path = option ?? `rejects-${new Date().toISOString().replaceAll(/[-:.]/g, "")}.ndjson`;
  const isRequired = option !== undefined || !dryRun;
  if (existsSync(path)) {
    throw new Failure(`"${path}" exists already, perhaps from another import.`, "Name another file with --rejects.");
  }
  // Check it before the import: afterwards the reasons would be lost.
  if (isRequired) attempt(path, () => accessSync(dirname(path), constants.W_OK));
  let file: number | null = null;
  let isSkipped = false;

  const open = (): number | null => {
    if (isRequired) return attempt(path, () => openSync(path, "wx", 0o600));
    try {
      return openSync(path, "wx", 0o600);
    } catch (error) {
      isSkipped = true;
      printMessage(
        terminal,
        `Cannot write to this folder (${codeOf(error)}): use --rejects to store refused lines elsewhere.`,
      );
      return null;
    }
  };
  return {
    write(rejected) {
      if (isSkipped) return;
      file ??= open();
      if (file !== null) writeSync(file, `${JSON.stringify(rejected)}\n`);
    },
    writtenTo: () => (file === null ? null : path),
    close() {
      if (file !== null) closeSync(file);
    },
  };
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Failure(
      `Cannot write the rejects file "${path}": ${codeOf(error)}.`,
      "Check the path, or name a file in another folder with --rejects.",
    );
  }
}
