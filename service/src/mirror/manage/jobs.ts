import type { Database } from "#core/database/database.ts";
import type { Job } from "#core/process/job.ts";
import { LATEST_EVERY_MS } from "#mirror/times.ts";
import { deleteDue } from "./delete-due.ts";
import { type Followed, type FollowOptions, follow } from "./follow.ts";

export type MirrorEvents = {
  /** The publisher that this worker follows. */
  mirror?: FollowOptions | null;
  /** For people who asked to be erased. */
  optOutKeys?: readonly string[];
  onFollowed?: (followed: Followed) => void;
};

/** Asks the publisher, and deletes people whose time is up, whether this worker follows a publisher or not. */
export const mirrorJob = (
  database: Database,
  { mirror = null, optOutKeys = [], onFollowed = () => {} }: MirrorEvents,
): Job => ({
  name: "follow the publisher of this mirror",
  everyMs: LATEST_EVERY_MS,
  wakes: false,
  retryMs: 60_000,
  async run() {
    await deleteDue(database, "waiting", optOutKeys);
    const followed = mirror === null ? null : await follow(database, mirror);
    if (followed !== null) onFollowed(followed);
    return undefined;
  },
});
