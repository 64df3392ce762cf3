import { LRUCache } from "lru-cache";
import type { Wire } from "#core/http/respond/content.ts";
import { createMissHistory } from "./recent-misses.ts";

/** A link to another page of the list: its query string, and its relation. */
export type PageLink = { query: string; rel: string };

/** A V1 answer, ready to be sent. */
export type Answer = {
  wire: Wire;
  etag: string;
  /** The person it is about. A list has none. */
  passportId?: number;
  /** The links of a list to its other pages. */
  links?: readonly PageLink[];
  /** The ranks of the people of a list, if they are not consecutive. Pages show them, V1 does not. */
  ranks?: readonly number[];
};

type Load = () => Promise<Answer | null>;

export type AnswerCache = {
  /** Returns the cached answer, or loads it. Null means "not found", and is cached as well. */
  find: (key: string, load: Load) => Answer | null | Promise<Answer | null>;
  invalidatePeople: (passportIds: readonly number[]) => void;
  invalidateLists: () => void;
  invalidateAll: () => void;
  counts: () => CacheCounts;
};
type CacheCounts = { hits: number; misses: number; bytes: number; entries: number };

export type CacheOptions = {
  maxBytes: number;
  /** The maximum age of an answer; 0 disables the cache. */
  maxAgeMs: number;
  /** The replication lag. The data of a new load may be this old, so its TTL is shorter by this. */
  lagMs: () => number;
};

/** Short, because a new person does not invalidate a cached "not found". */
const NOT_FOUND_MAX_AGE_MS = 2_000;
/** The minimum time between two purges of expired entries. A purge takes some milliseconds. */
const PURGE_EVERY_MS = 5_000;
/**
 * The largest entry, as a share of `maxBytes`. The largest page has about 7 MB and is slow to load.
 */
const MAX_ENTRY_SHARE = 1 / 4;
/** The approximate heap size of an entry without its body. */
const OVERHEAD_BYTES = 1_100;
/** The approximate heap size of a link without its query. */
const LINK_BYTES = 80;

// Keys are built from parsed parameters, so that equivalent URLs share an entry. A reference is a
// passport id or a wallet address.
export const passportKey = (reference: number | string): string => `p${reference}`;
export const credentialsKey = (reference: number | string): string => `c${reference}`;
export const listKey = (page: number, perPage: number, text: string): string => `l${page} ${perPage} ${text}`;
const isList = (key: string): boolean => key.startsWith("l");

/**
 * The cache of one process: V1 answers in least-recently-used order, limited by size and TTL.
 *
 * Admission is scan-resistant: a key enters a full cache only on its second recent miss. Lists are
 * loaded single-flight: concurrent requests for a list share one load. Look-ups of a person are
 * joined in coalesce.ts, so they need no single-flight here. Invalidating a person removes the
 * answers cached under the id and under all wallets. Any invalidation also prevents all loads in
 * progress from being cached, as they may have read old data.
 */
export function createAnswerCache({ maxBytes, maxAgeMs, lagMs }: CacheOptions): AnswerCache {
  const entries = new LRUCache<string, { answer: Answer | null }>({
    maxSize: Math.max(1, Math.floor(maxBytes)),
    maxEntrySize: Math.max(1, Math.floor(maxBytes * MAX_ENTRY_SHARE)),
    perf: { now: () => performance.now() },
    dispose: ({ answer }, key) => removeWalletKey(answer?.passportId, key),
  });
  /** For each person, the cached keys with a wallet address. Keys with the id can be computed. */
  const walletKeys = new Map<number, Set<string>>();
  let listLoads = new Map<string, Promise<Answer | null>>();
  const wasMissedRecently = createMissHistory();
  const counts = { hits: 0, misses: 0 };
  let invalidations = 0;
  let nextPurgeAt = 0;

  function addWalletKey(passportId: number | undefined, key: string): void {
    if (passportId === undefined || key === passportKey(passportId) || key === credentialsKey(passportId)) return;
    walletKeys.set(passportId, (walletKeys.get(passportId) ?? new Set()).add(key));
  }

  function removeWalletKey(passportId: number | undefined, key: string): void {
    if (passportId === undefined) return;
    const keys = walletKeys.get(passportId);
    if (keys?.delete(key) && keys.size === 0) walletKeys.delete(passportId);
  }

  function makeRoomFor(size: number): boolean {
    const hasRoom = () => entries.calculatedSize + size <= maxBytes;
    if (hasRoom()) return true;
    if (performance.now() < nextPurgeAt) return false;
    nextPurgeAt = performance.now() + PURGE_EVERY_MS;
    entries.purgeStale();
    return hasRoom();
  }

  function store(key: string, answer: Answer | null, ageMs: number): void {
    const maxAge = answer === null ? Math.min(maxAgeMs, NOT_FOUND_MAX_AGE_MS) : maxAgeMs;
    const ttl = Math.floor(maxAge - ageMs);
    if (ttl < 1) return;
    const size = sizeOf(answer, key);
    if (!makeRoomFor(size) && !wasMissedRecently(key)) return;
    // Store a copy. Caching the object itself teaches V8's allocation-site tracking to pretenure
    // all answers, those that are not cached too.
    entries.set(key, { answer: answer && { ...answer } }, { ttl, size });
    // The library ignores an entry above maxEntrySize.
    const isTooLarge = !entries.has(key);
    if (!isTooLarge) addWalletKey(answer?.passportId, key);
  }

  function loadAnswer(key: string, load: Load): Promise<Answer | null> {
    const invalidationsBefore = invalidations;
    const asOf = performance.now() - lagMs();
    return load().then((answer) => {
      const isCurrent = invalidations === invalidationsBefore;
      if (isCurrent) store(key, answer, performance.now() - asOf);
      return answer;
    });
  }

  function loadList(key: string, load: Load): Promise<Answer | null> {
    // An invalidation replaces the map, so that later requests do not join this load.
    const loads = listLoads;
    const loading = loadAnswer(key, load).finally(() => loads.delete(key));
    loads.set(key, loading);
    return loading;
  }

  /** New requests do not join the loads in progress, and these are not cached. */
  function detachLoads(): void {
    invalidations += 1;
    listLoads = new Map();
  }

  return {
    find(key, load) {
      const cached = entries.get(key);
      if (cached !== undefined) {
        counts.hits += 1;
        return cached.answer;
      }
      counts.misses += 1;
      if (!isList(key)) return loadAnswer(key, load);
      return listLoads.get(key) ?? loadList(key, load);
    },
    invalidatePeople(passportIds) {
      detachLoads();
      for (const id of passportIds) {
        entries.delete(passportKey(id));
        entries.delete(credentialsKey(id));
        for (const key of walletKeys.get(id) ?? []) entries.delete(key);
      }
    },
    invalidateLists() {
      detachLoads();
      for (const key of entries.keys()) if (isList(key)) entries.delete(key);
    },
    invalidateAll() {
      detachLoads();
      entries.clear();
    },
    counts: () => ({ ...counts, bytes: entries.calculatedSize, entries: entries.size }),
  };
}

const sizeOf = (answer: Answer | null, key: string): number =>
  OVERHEAD_BYTES + key.length + (answer?.wire.length ?? 0) + linkBytes(answer?.links ?? []);

const linkBytes = (links: readonly PageLink[]): number =>
  links.reduce((sum, { query }) => sum + LINK_BYTES + query.length, 0);
