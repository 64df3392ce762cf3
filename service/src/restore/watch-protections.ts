import type { Database } from "#core/database/database.ts";
import type { WorkerProtections } from "#core/process/worker-processes.ts";
import { isOlderThan, olderThan, updateProtections } from "./export-protections.ts";
import { readProtectionsHeader } from "./protections-file.ts";

const HOUR_MS = 3_600_000;

export type ProtectionsWatch = {
  /** False while the database is older than the file. */
  isCurrent: () => Promise<boolean>;
  /** Writes the file if something changed, and the last time is that long ago. */
  write: (everyMs?: number) => Promise<void>;
  report: () => WorkerProtections;
};

/**
 * Keeps PROTECTIONS_FILE. While the database is older than the file, which means that it was restored
 * from a backup, the file is not written.
 */
export function watchProtections(
  database: Database,
  path: string | null,
  onOlder: (message: string) => void,
): ProtectionsWatch {
  let isOlder = false;
  /** Not by the clock of the machine, which may be set. */
  let currentAt: number | null = null;
  const isCurrent = async () => {
    if (path === null) return true;
    const wasOlder = isOlder;
    isOlder = await isOlderThan(database, await readProtectionsHeader(path));
    if (isOlder && !wasOlder) {
      onOlder(
        `${olderThan(path)} No request of a holder is processed until it is imported: credence import --protections "${path}"`,
      );
    }
    return !isOlder;
  };
  const write = async (everyMs = HOUR_MS) => {
    if (path === null || (currentAt !== null && performance.now() - currentAt < everyMs)) return;
    if (!(await isCurrent())) return;
    await updateProtections(database, path);
    currentAt = performance.now();
  };
  return {
    isCurrent,
    write,
    report: () => ({ isOlder, ageMs: currentAt === null ? null : performance.now() - currentAt }),
  };
}
