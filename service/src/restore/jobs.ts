import { POLL_MS, pause, type Repeat } from "#core/process/repeat.ts";
import type { ProtectionsWatch } from "./watch-protections.ts";

// The job of a worker that keeps the file of protections.

export const PROTECTIONS_JOB = "write the file of protections";
/** How often the file is compared with the database. */
const CHECK_EVERY_MS = 20_000;

export const repeatProtections = (protections: ProtectionsWatch, repeat: Repeat, signal: AbortSignal): Promise<void> =>
  repeat(PROTECTIONS_JOB, POLL_MS, async () => {
    await protections.isCurrent();
    await protections.write();
    await pause(CHECK_EVERY_MS, signal);
    return 0;
  });
