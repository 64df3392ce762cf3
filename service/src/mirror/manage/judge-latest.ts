import type { Latest } from "@credence/contract/snapshot.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { LATEST_LIFETIME_MS } from "#mirror/times.ts";

/** What a mirror remembers of its publisher. Null until the first poll, or the first import. */
export type Remembered = {
  feed: string | null;
  latest_at: Date | null;
  polled_at: Date | null;
  created_at: Date | null;
  manifest_sha256: string | null;
  continues: Date | null;
};

export const NOTHING_STORED: Remembered = {
  feed: null,
  latest_at: null,
  polled_at: null,
  created_at: null,
  manifest_sha256: null,
  continues: null,
};

/** V1 has ended at the publisher. */
export class PublisherEnded extends SnapshotRefused {
  override name = "PublisherEnded";
}

/** Whether people may be shown. The serving process asks the database the same: serve/mirror-state.ts. */
export const isFresh = (
  { created_at, latest_at, expires_at }: Pick<Remembered, "created_at" | "latest_at"> & { expires_at: Date | null },
  now: Date,
): boolean =>
  created_at !== null &&
  latest_at !== null &&
  expires_at !== null &&
  latest_at.getTime() <= now.getTime() + CLOCK_TOLERANCE_MS &&
  now < expires_at;

/** How far clocks may differ. */
const CLOCK_TOLERANCE_MS = 10 * 60_000;

/**
 * Whether a verified latest.json names the snapshot that is stored, or a newer one. Throws if it may not
 * be followed. `now` is the database's time.
 */
export function judgeLatest(latest: Latest, stored: Remembered, now: Date): "same" | "newer" {
  const at = Date.parse(latest.at);
  const createdAt = Date.parse(latest.created_at);
  if (stored.polled_at !== null && now.getTime() < stored.polled_at.getTime() - CLOCK_TOLERANCE_MS) {
    throw refused(`The database's clock went back from ${stored.polled_at.toISOString()}`, "Set it, and look why.");
  }
  if (stored.feed !== null && latest.feed !== stored.feed) {
    throw refused(`latest.json belongs to feed ${latest.feed}, and this mirror follows ${stored.feed}`, OTHER);
  }
  if (Math.max(at, createdAt) > now.getTime() + CLOCK_TOLERANCE_MS || createdAt > at + CLOCK_TOLERANCE_MS) {
    throw refused(`latest.json is of ${latest.at}, by the database's clock in the future`, "Compare both clocks.");
  }
  if (stored.latest_at !== null && at < stored.latest_at.getTime()) {
    throw refused(`latest.json is of ${latest.at}, older than that of ${stored.latest_at.toISOString()}`, REPLAYED);
  }
  if (latest.ended) {
    throw new PublisherEnded("V1 has ended at the publisher.", "Take over with `credence mirror take-over`, or stop.");
  }
  if (expiryOf(latest) <= now.getTime()) {
    throw refused(`latest.json expired at ${new Date(expiryOf(latest)).toISOString()}`, "The publisher does not sign.");
  }
  requireSameHistory(latest, stored);
  if (stored.created_at === null) return "newer";
  const storedAt = stored.created_at.getTime();
  if (createdAt < storedAt) {
    throw refused(
      `The snapshot of ${latest.created_at} is older than that of ${stored.created_at.toISOString()}`,
      REPLAYED,
    );
  }
  // Everybody was deleted: the same snapshot is imported again.
  if (createdAt > storedAt || stored.manifest_sha256 === null) return "newer";
  if (latest.manifest_sha256 === stored.manifest_sha256) return "same";
  throw refused(`There are two snapshots of ${latest.created_at} with different content`, OTHER);
}

/** No expiry of more than six hours counts. */
export const expiryOf = ({ at, expires_at }: Latest): number =>
  Math.min(Date.parse(expires_at), Date.parse(at) + LATEST_LIFETIME_MS);

/** After a take-over, there may be two publishers with one feed, whose snapshots diverge. */
function requireSameHistory({ continues }: Latest, stored: Remembered): void {
  const continued = continues === undefined ? null : Date.parse(continues);
  if (continued === (stored.continues?.getTime() ?? null) || stored.created_at === null) return;
  if (continued !== null && continued >= stored.created_at.getTime()) return;
  const until = continued === null ? "no other publisher" : `the snapshot of ${continues}`;
  throw refused(
    `latest.json continues ${until}, and this mirror has ${stored.created_at.toISOString()} of another history`,
    OTHER,
  );
}

const OTHER = "Another publisher, or another history of the same one. Ask the publisher by another way.";
const REPLAYED = "Somebody may replay old files. Ask the publisher by another way.";

const refused = (problem: string, advice: string): SnapshotRefused => new SnapshotRefused(`${problem}.`, advice);
