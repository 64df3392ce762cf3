import { type Job, POLL_MS } from "#core/process/job.ts";
import type { ProtectionsWatch } from "./watch-protections.ts";

export const PROTECTIONS_JOB = "write the file of protections";
/** How often the file is compared with the database. */
const CHECK_EVERY_MS = 20_000;

/** Keeps the file of protections up to date. */
export const protectionsJob = (protections: ProtectionsWatch): Job => ({
  name: PROTECTIONS_JOB,
  everyMs: CHECK_EVERY_MS,
  wakes: false,
  retryMs: POLL_MS,
  async run() {
    await protections.isCurrent();
    await protections.write();
    return undefined;
  },
});
