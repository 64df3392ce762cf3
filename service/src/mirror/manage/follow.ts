import type { Latest } from "@credence/contract/snapshot.ts";
import type { Database } from "#core/database/database.ts";
import { unlessClaimed } from "#core/database/locks.ts";
import { keyFingerprint, readPublicKeys } from "#core/files/signing-key.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { LATEST_MAX_BYTES, LATEST_NAME, readLatest } from "#mirror/latest.ts";
import { requireOptOutKeys } from "#privacy/require-opt-out-keys.ts";
import { withSnapshot } from "./download-snapshot.ts";
import { fetchBytes, type Publisher, parsePublisher } from "./fetch-file.ts";
import { type ImportedMirror, importMirrored } from "./import-mirrored.ts";
import { expiryOf, isFresh, judgeLatest, NOTHING_STORED, PublisherEnded } from "./judge-latest.ts";
import {
  findDatabaseTime,
  findDownloadName,
  findMirrorOf,
  hasPeople,
  type MirrorOf,
  updateFailure,
  updateLatest,
  upsertMirrorOf,
} from "./mirror-of.ts";

export type FollowOptions = {
  /** With a user and a password, if the publisher asks for them. */
  url: string;
  publicKeyPath: string;
  basis: string;
  optOutKeys: readonly string[];
  /** Builds the list, before a mirror that showed nobody shows people. */
  refreshStanding: (database: Database) => Promise<unknown>;
};

/** `imported` is null if the publisher has nothing new. */
export type Followed = { created_at: string; fresh_until: Date; imported: ImportedMirror | null };

/** Asks the publisher once, and imports its snapshot if it is new. Null: another process is doing it. */
export const follow = (database: Database, options: FollowOptions): Promise<Followed | null> =>
  unlessClaimed(database, () => followClaimed(database, options), "mirror");

async function followClaimed(database: Database, options: FollowOptions): Promise<Followed> {
  const { optOutKeys, basis } = options;
  if (optOutKeys.length === 0) {
    throw new Failure(
      "OPT_OUT_KEY is not set: people who ask this mirror to be erased could come back with the next snapshot.",
      "Create a key of the mirror's own with `openssl rand -hex 32`, store it like a password, and set it.",
      EXIT.usage,
    );
  }
  await requireOptOutKeys(database, optOutKeys, null);
  const publisher = parsePublisher(options.url);
  const keys = await readPublicKeys(options.publicKeyPath);
  const stored = await findMirrorOf(database);
  const isEmpty = !(await hasPeople(database));
  if (stored !== null) requireFollower(stored);
  else if (!isEmpty) throw new Failure(NOT_EMPTY, "Use a new database.", EXIT.usage);
  const following = { url: publisher.url.href, basis, keys: keys.map(keyFingerprint) };
  // Before the first answer, an empty server must not say that nobody exists.
  if (isEmpty) await upsertMirrorOf(database, following);
  try {
    const bytes = await fetchBytes(publisher, LATEST_NAME, { maxBytes: LATEST_MAX_BYTES });
    const { latest } = readLatest(bytes, keys);
    const now = await findDatabaseTime(database);
    const judgement = judgeLatest(latest, stored ?? NOTHING_STORED, now);
    await upsertMirrorOf(database, following);
    const imported = judgement === "same" ? null : await importLatest(database, publisher, latest, optOutKeys);
    const showsPeople = stored !== null && isFresh(stored, now);
    if (!showsPeople) await options.refreshStanding(database);
    const fresh_until = new Date(expiryOf(latest));
    await updateLatest(database, new Date(latest.at), fresh_until);
    return { created_at: latest.created_at, fresh_until, imported };
  } catch (error) {
    await updateFailure(database, (error as Error).message, error instanceof PublisherEnded);
    throw error;
  }
}

const NOT_EMPTY =
  "This database already contains people. `credence mirror` would replace them by the people of the publisher.";

function requireFollower({ taken_over_at, url }: MirrorOf): void {
  if (taken_over_at === null) return;
  throw new Failure(
    `This server took over from ${url} on ${taken_over_at.toISOString()}: it follows nobody.`,
    "Remove MIRROR_OF, MIRROR_PUBLIC_KEY and MIRROR_BASIS. To follow another publisher, use a new database.",
    EXIT.usage,
  );
}

async function importLatest(
  database: Database,
  publisher: Publisher,
  latest: Latest,
  optOutKeys: readonly string[],
): Promise<ImportedMirror> {
  const { feed, created_at: createdAt, manifest_sha256: manifestSha256, continues = null } = latest;
  const snapshot = { feed, createdAt, manifestSha256, continues };
  return withSnapshot(publisher, latest, await findDownloadName(database), (source) =>
    importMirrored(database, source, snapshot, optOutKeys),
  );
}
