import { timingSafeEqual } from "node:crypto";
import type { Logger } from "pino";
import type { Connection } from "#core/database/database.ts";
import { isDenied, isUnavailable, Unreadable } from "#core/database/failures.ts";
import type { ValidKey } from "#core/http/limits/rate-limits.ts";
import { hashToken, readTokenId } from "#core/identity/api-key.ts";
import { type KnownKey, listKeysChangedSince } from "./known-keys.ts";

/** A valid key, the id of a revoked or expired key, or "unknown". */
export type KeyStatus = ValidKey | { revokedId: string } | "unknown";

export type Keyring = {
  check: (token: string) => KeyStatus | Promise<KeyStatus>;
  /** The id of a valid key among those in memory, or null. It causes no query and does not wait. */
  findId: (token: string) => string | null;
  /** Reads changes that are committed now, after a notice of them. */
  refreshSoon: () => void;
  /** False until keys have been read, or PostgreSQL has refused it: then requests with a key get 503. */
  isLoaded: () => boolean;
  close: () => void;
};

const REFRESH_EVERY_MS = 5_000;
/** Every twelfth refresh reads all keys, to notice rows that were deleted or changed by hand. */
const READ_ALL_EVERY = 12;
/** The minimum interval of refreshes that unknown tokens cause. */
const EARLY_REFRESH_EVERY_MS = 1_000;
/** The minimum interval of refreshes that notices cause: a script may change many keys. */
const NOTICED_REFRESH_EVERY_MS = 250;
const MAX_RECENT_TOKENS = 10_000;
/** A row may be committed later than its changed_at, so refreshes overlap. */
const OVERLAP_MS = 60_000;

/**
 * Caches all API keys in memory. Reads changes on notices, and every five seconds. A token is found
 * by its id or its hash, without a query. Unknown tokens of our form cause an early refresh, at most
 * one a second. While keys cannot be read, those read last are used, and the check of an unknown token
 * fails: it may be a key by now. Before the first successful read, the check of every token fails.
 */
export async function openKeyring(database: Connection, log: Logger): Promise<Keyring> {
  let issued = new Map<string, KnownKey>();
  let adopted = new Map<string, KnownKey>();
  /** Keys by token since the last refresh. Hashing a token is the slowest part of a check. */
  const recent = new Map<string, KnownKey>();
  let readAt = new Date(0);
  let refreshes = 0;
  let refreshing: Promise<void> | null = null;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let failure: Error | null = null;
  let isLoaded = false;
  let noticed: NodeJS.Timeout | null = null;
  let isClosed = false;

  async function readChanges(): Promise<void> {
    const all = refreshes++ % READ_ALL_EVERY === 0;
    const changed = await listKeysChangedSince(database, all ? new Date(0) : new Date(readAt.getTime() - OVERLAP_MS));
    if (all) {
      issued = new Map();
      adopted = new Map();
    }
    for (const key of changed.keys) {
      if (key.adopted) adopted.set(key.hash.toString("base64"), key);
      else issued.set(key.key_id, key);
    }
    readAt = changed.readAt;
    isLoaded = true;
    recent.clear();
  }

  function refresh(): Promise<void> {
    refreshing ??= readChanges()
      .then(() => {
        failure = null;
      })
      .catch((error: Error) => {
        // An outage is logged once.
        if (failure === null) {
          log.warn({ err: error }, `cannot read API keys${isLoaded ? "; using the keys read last" : ""}`);
        }
        failure = error;
        isLoaded ||= isDenied(error);
      })
      .finally(() => {
        refreshing = null;
        refreshedAt = performance.now();
      });
    return refreshing;
  }

  /** A refresh that is running may have missed the change, so another one follows it. */
  function refreshSoon(): void {
    noticed ??= setTimeout(
      async () => {
        await refreshing;
        noticed = null;
        if (!isClosed) refresh();
      },
      Math.max(0, refreshedAt + NOTICED_REFRESH_EVERY_MS - performance.now()),
    ).unref();
  }

  function findKey(id: string | null, token: string): KnownKey | undefined {
    const hash = hashToken(token);
    const key = id === null ? undefined : issued.get(id);
    return key && timingSafeEqual(key.hash, hash) ? key : adopted.get(hash.toString("base64"));
  }

  function checkCached(id: string | null, token: string): KeyStatus {
    const key = findKey(id, token);
    if (key === undefined) return "unknown";
    if (recent.size >= MAX_RECENT_TOKENS) recent.clear();
    recent.set(token, key);
    return statusOf(key);
  }

  async function checkAfterRefresh(id: string | null, token: string): Promise<KeyStatus> {
    if (refreshing !== null || performance.now() - refreshedAt >= EARLY_REFRESH_EVERY_MS) await refresh();
    const status = checkCached(id, token);
    if (status !== "unknown" || failure === null) return status;
    throw isUnavailable(failure) ? failure : new Unreadable("The API keys cannot be read.", { cause: failure });
  }

  function check(token: string): KeyStatus | Promise<KeyStatus> {
    const key = recent.get(token);
    if (key !== undefined) return statusOf(key);
    const id = readTokenId(token);
    const status = checkCached(id, token);
    const isKnown = status !== "unknown" || (id === null && failure === null);
    return isKnown ? status : checkAfterRefresh(id, token);
  }

  function findId(token: string): string | null {
    const key = recent.get(token) ?? findKey(readTokenId(token), token);
    const status = key === undefined ? "unknown" : statusOf(key);
    return status !== "unknown" && "keyId" in status ? status.keyId : null;
  }

  await refresh();
  const timer = setInterval(refresh, REFRESH_EVERY_MS);
  timer.unref();
  const close = () => {
    isClosed = true;
    clearInterval(timer);
    if (noticed !== null) clearTimeout(noticed);
  };
  return { check, findId, refreshSoon, isLoaded: () => isLoaded, close };
}

function statusOf({ key_id, revoked_at, expires_at, points_limit, rehearsed_until }: KnownKey): KeyStatus {
  const isValid = revoked_at === null && (expires_at === null || expires_at.getTime() > Date.now());
  if (!isValid) return { revokedId: key_id };
  return { keyId: key_id, pointsLimit: points_limit, rehearsedUntil: rehearsed_until };
}
