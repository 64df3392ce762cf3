import type { Database } from "#core/database/database.ts";
import type { WorkerProtections } from "#core/process/worker-processes.ts";
import { updateProtections } from "./export-protections.ts";
import { isOlderThan, olderThan } from "./is-older.ts";
import { readProtectionsHeader } from "./protections-file.ts";

/** With many opt-outs, writing takes time: at most a tenth of it is spent on that. */
const PAUSE_PER_WRITE = 10;

export type ProtectionsWatch = {
  /** False while the database is older than the file. */
  isCurrent: () => Promise<boolean>;
  /** Writes the file if something changed. `isLast`: also if the last time is a moment ago. */
  write: (isLast?: boolean) => Promise<void>;
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
  let pausedUntil = Number.NEGATIVE_INFINITY;
  const write = async (isLast = false) => {
    const startedAt = performance.now();
    if (path === null || (startedAt < pausedUntil && !isLast)) return;
    if (!(await isCurrent())) return;
    await updateProtections(database, path);
    currentAt = performance.now();
    pausedUntil = currentAt + PAUSE_PER_WRITE * (currentAt - startedAt);
  };
  return {
    isCurrent,
    write,
    report: () => ({ isOlder, ageMs: currentAt === null ? null : performance.now() - currentAt }),
  };
}
