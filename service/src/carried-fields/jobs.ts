import type { Database } from "#core/database/database.ts";
import { POLL_MS, type Repeat } from "#core/process/repeat.ts";
import { presentNext } from "./carried-fields.ts";

/** The job of a worker that finishes a change of the carried fields. */
export const repeatPresenting = (database: Database, repeat: Repeat, pollMs: number): Promise<void> =>
  repeat("present people with the carried fields", POLL_MS, async () => {
    return (await presentNext(database)) > 0 ? 0 : pollMs;
  });
