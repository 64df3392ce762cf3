import { createHash, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Latest } from "@credence/contract/snapshot.ts";
import type { Database } from "#core/database/database.ts";
import { unlessClaimed } from "#core/database/locks.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { MANIFEST_NAME } from "#core/files/write-manifest.ts";
import { type ChangeCounters, findChangeCounters } from "#list/manage/change-counter.ts";
import { LATEST_EVERY_MS, LATEST_LIFETIME_MS } from "#mirror/times.ts";
import { exportForMirrors } from "./export-for-mirrors.ts";
import { findTime, openPublication, type Publication, updatePublication, updateSigned } from "./publication.ts";
import {
  addSnapshot,
  ageOf,
  deleteOthers,
  nameOf,
  readPublished,
  replaceLatest,
  requireOwnFolder,
} from "./published-folder.ts";

/** A new snapshot, if anything has changed. */
const EVERY_MS = 24 * 3_600_000;
/** A new snapshot, if somebody was hidden or erased, or lost a wallet. */
const AFTER_REMOVAL_MS = 3_600_000;
/** Mirrors have read that there is a newer one. */
const KEEP_MS = 2 * LATEST_EVERY_MS;

export type PublishOptions = {
  folder: string;
  privateKey: KeyObject;
  /** The name of this data. */
  source: string;
  sunsetAt: Date | null;
  onProgress?: (people: number, total: number) => void;
  signal?: AbortSignal;
};

/** `people`: of a snapshot that this run has written. `nextMs`: when the next run is due, at most. */
export type Published = { latest: Latest | null; people: number | null; nextMs: number };

/**
 * Writes a snapshot if one is due, and signs latest.json anew: its silence tells mirrors to show nobody.
 * Null if another process is doing it.
 */
export const publish = (database: Database, options: PublishOptions): Promise<Published | null> =>
  unlessClaimed(database, () => publishNow(database, options), "publication");

async function publishNow(database: Database, options: PublishOptions): Promise<Published> {
  const { folder, privateKey, sunsetAt } = options;
  const publication = await openPublication(database);
  const now = await findTime(database);
  const current = await readPublished(folder);
  if (current === null) await requireOwnFolder(folder);
  else requireContinuation(current, publication, now);
  if (sunsetAt !== null && sunsetAt <= now) {
    const ended = await endFeed(current, now, options);
    await updateSigned(database, null);
    return ended;
  }
  const counters = await findChangeCounters(database);
  const isDue = current === null || msUntilDue(current, publication, counters, now) <= 0;
  const next = isDue ? await writeNext(database, publication, options) : null;
  const { snapshot, manifest_sha256, created_at } = next ?? (current as Latest);
  const at = next === null ? now : await findTime(database);
  const { feed, continues } = publication;
  const latest: Latest = {
    format: "credence-latest",
    version: 1,
    feed,
    snapshot,
    manifest_sha256,
    created_at,
    ...timesOf(at),
    // Files that may have somebody who is not shown any more: mirrors show nobody when they expire.
    ...(next === null &&
      hasRemovals(current as Latest, publication, counters) && { expires_at: current?.expires_at ?? "" }),
    ...(continues !== null && { continues: continues.toISOString() }),
  };
  await replaceLatest(folder, latest, privateKey);
  await updateSigned(database, latest);
  // Only now: a run that dies before it writes another snapshot.
  if (next !== null) await updatePublication(database, next.snapshot, next.counters);
  if ((await ageOf(folder, snapshot)) >= KEEP_MS) await deleteOthers(folder, snapshot);
  const dueMs = next === null ? msUntilDue(latest, publication, counters, now) : LATEST_EVERY_MS;
  return { latest, people: next?.people ?? null, nextMs: Math.min(LATEST_EVERY_MS, Math.max(dueMs, 1_000)) };
}

function requireContinuation({ feed, at }: Latest, publication: Publication, now: Date): void {
  if (feed !== publication.feed) {
    throw new SnapshotRefused("The folder has the files of another feed.", "Publish into an empty folder.");
  }
  if (Date.parse(at) <= now.getTime()) return;
  throw new SnapshotRefused(
    `latest.json is of ${at}, and the clock of the database is at ${now.toISOString()}.`,
    "Set the clock: mirrors refuse a file that is older than the last one.",
  );
}

/** Infinity if nothing has changed. */
function msUntilDue(current: Latest, publication: Publication, counters: ChangeCounters, now: Date): number {
  const ageMs = now.getTime() - Date.parse(current.created_at);
  // After an end that was put off, the snapshot is gone.
  if (current.ended) return 0;
  if (hasRemovals(current, publication, counters)) return AFTER_REMOVAL_MS - ageMs;
  return publication.people_change === counters.people_change ? Number.POSITIVE_INFINITY : EVERY_MS - ageMs;
}

/** In another folder, or after a restore, nobody knows what the snapshot has. */
const hasRemovals = ({ snapshot }: Latest, publication: Publication, { removals }: ChangeCounters): boolean =>
  snapshot !== publication.snapshot || publication.removals !== removals;

type NextSnapshot = Pick<Latest, "snapshot" | "manifest_sha256" | "created_at"> & {
  people: number;
  counters: ChangeCounters;
};

async function writeNext(
  database: Database,
  { feed }: Publication,
  { folder, source, privateKey, onProgress = () => {}, signal }: PublishOptions,
): Promise<NextSnapshot> {
  const snapshot = nameOf((await findTime(database)).toISOString());
  const { manifest, counters } = await addSnapshot(folder, snapshot, (path) =>
    exportForMirrors(database, path, { source, feed, privateKey, onProgress, ...(signal && { signal }) }),
  );
  const bytes = await readFile(join(folder, snapshot, MANIFEST_NAME));
  const manifest_sha256 = createHash("sha256").update(bytes).digest("hex");
  return { snapshot, manifest_sha256, created_at: manifest.created_at, people: manifest.people, counters };
}

const timesOf = (at: Date): Pick<Latest, "at" | "expires_at"> => ({
  at: at.toISOString(),
  expires_at: new Date(at.getTime() + LATEST_LIFETIME_MS).toISOString(),
});

/** Says once that V1 has ended here. The people are deleted: who asks to be erased later must not stay in files. */
async function endFeed(current: Latest | null, now: Date, { folder, privateKey }: PublishOptions): Promise<Published> {
  if (current !== null && !current.ended) {
    const latest: Latest = { ...current, ...timesOf(now), ended: true };
    await replaceLatest(folder, latest, privateKey);
    return { latest, people: null, nextMs: LATEST_EVERY_MS };
  }
  if (current !== null && now.getTime() - Date.parse(current.at) >= KEEP_MS) await deleteOthers(folder, null);
  return { latest: current, people: null, nextMs: LATEST_EVERY_MS };
}
