import { LRUCache } from "lru-cache";
import { rememberKeys } from "./recent-misses.ts";

/** An answer, ready to be sent. `passportId` is who it is about, `links` the Link entries of a page. */
export type Answer = {
  /** The bytes of the body, ready to be sent. */
  wire: Wire;
  etag: string;
  passportId?: number;
  links?: string;
  /** Never cached: anybody can ask for any number of these. */
  uncached?: true;
};

/**
 * A body as it is sent. A small one is a string of one byte a character, which is quickest to write: text would be encoded for every
 * request. A large one is a Buffer, which all responses share while they wait to be read.
 */
export type Wire = string | Buffer;

const LARGEST_STRING_BYTES = 65_536;

export function wireOf(text: string): Wire {
  const bytes = Buffer.byteLength(text);
  if (bytes > LARGEST_STRING_BYTES) return Buffer.from(text);
  // In ASCII, the text is its bytes.
  return bytes === text.length ? text : Buffer.from(text).toString("latin1");
}

export type AnswerCache = {
  /** The answer by its key: kept, or being loaded for somebody else, or loaded now. Null is an answer too: there is none. */
  find: (key: string, load: () => Promise<Answer | null>) => Answer | null | Promise<Answer | null>;
  forgetPeople: (passportIds: readonly number[]) => void;
  forgetLists: () => void;
  forgetAll: () => void;
  counts: () => CacheCounts;
};
type CacheCounts = { hits: number; misses: number; bytes: number; entries: number };

export type CacheOptions = {
  maxBytes: number;
  /** How old an answer may get; 0 keeps none. */
  maxAgeMs: number;
  /** How old what is loaded now may be already. */
  lagMs: () => number;
};

/** What is not there may come any moment, and nobody is told when it does. */
const MISSING_MAX_AGE_MS = 2_000;
/** It takes some milliseconds. */
const PURGE_EVERY_MS = 5_000;
/** A page of 100 people with the longest texts has some 7 MB, and takes too long to be made for every request. */
const LARGEST_SHARE = 1 / 4;
/** What an entry takes beside its bytes, about, with the slack of the heap it lies in. */
const OVERHEAD_BYTES = 1_100;

type Kept = { answer: Answer | null };

// Keys say what is asked for once it is understood, so that spellings and unknown parameters make no more of them.
export const passportKey = (reference: number | string): string => `p${reference}`;
export const credentialsKey = (reference: number | string): string => `c${reference}`;
export const listKey = (page: number, perPage: number, text: string): string => `l${page} ${perPage} ${text}`;
const isList = (key: string): boolean => key.startsWith("l");

/** Answers of this process, limited by bytes and by age. Whoever asks for what is being loaded waits for it with the others. */
export function createAnswerCache({ maxBytes, maxAgeMs, lagMs }: CacheOptions): AnswerCache {
  const kept = new LRUCache<string, Kept>({
    maxSize: Math.max(1, Math.floor(maxBytes)),
    maxEntrySize: Math.max(1, Math.floor(maxBytes * LARGEST_SHARE)),
    perf: { now: () => performance.now() },
    dispose: ({ answer }, key) => forgetWallet(answer, key),
  });
  /** The wallets under which somebody is kept: their ids need no looking up. */
  const wallets = new Map<number, Set<string>>();
  /** Lists being loaded, which a new request for the same list joins. Look-ups are joined where they are batched: see coalesce.ts. */
  let loads = new Map<string, Promise<Answer | null>>();
  const wasAskedLately = rememberKeys();
  const counts = { hits: 0, misses: 0 };
  let forgotten = 0;
  let purgeAt = 0;

  function forgetWallet(answer: Answer | null, key: string): void {
    const keys = wallets.get(answer?.passportId ?? 0);
    if (keys?.delete(key) && keys.size === 0) wallets.delete(answer?.passportId ?? 0);
  }

  function hasRoomFor(size: number): boolean {
    const hasRoom = () => kept.calculatedSize + size <= maxBytes;
    if (hasRoom()) return true;
    if (performance.now() < purgeAt) return false;
    // Half of it may be too old by now.
    purgeAt = performance.now() + PURGE_EVERY_MS;
    kept.purgeStale();
    return hasRoom();
  }

  function keep(key: string, answer: Answer | null, agedMs: number): void {
    const ttl = Math.floor(Math.min(maxAgeMs, answer === null ? MISSING_MAX_AGE_MS : maxAgeMs) - agedMs);
    if (ttl < 1) return;
    const size = sizeOf(answer, key);
    // Scan-resistant admission: a key enters a full cache only on its second miss.
    if (!hasRoomFor(size) && !wasAskedLately(key)) return;
    // A copy: if answers themselves were kept, the engine would learn that they last, and put the others there too.
    kept.set(key, { answer: answer && { ...answer } }, { ttl, size });
    const passportId = answer?.passportId;
    if (passportId === undefined || key === passportKey(passportId) || key === credentialsKey(passportId)) return;
    // Not if it was too large to be kept.
    if (kept.has(key)) wallets.set(passportId, (wallets.get(passportId) ?? new Set()).add(key));
  }

  /** Ends a generation of loads: what is read before a notice may be what the notice is about. */
  function endGeneration(): void {
    forgotten += 1;
    loads = new Map();
  }

  function startLoading(key: string, load: () => Promise<Answer | null>): Promise<Answer | null> {
    const before = forgotten;
    // It is as old as the state it was read from, which was there when it was asked for.
    const asOf = performance.now() - lagMs();
    return load().then((answer) => {
      // What changed meanwhile may have been read before it changed.
      if (before === forgotten && answer?.uncached !== true) keep(key, answer, performance.now() - asOf);
      return answer;
    });
  }

  function loadList(key: string, load: () => Promise<Answer | null>): Promise<Answer | null> {
    const generation = loads;
    const loading = startLoading(key, load).finally(() => generation.delete(key));
    generation.set(key, loading);
    return loading;
  }

  return {
    find(key, load) {
      const found = kept.get(key);
      if (found !== undefined) {
        counts.hits += 1;
        return found.answer;
      }
      counts.misses += 1;
      if (!isList(key)) return startLoading(key, load);
      return loads.get(key) ?? loadList(key, load);
    },
    forgetPeople(passportIds) {
      endGeneration();
      for (const id of passportIds) {
        kept.delete(passportKey(id));
        kept.delete(credentialsKey(id));
        for (const key of wallets.get(id) ?? []) kept.delete(key);
      }
    },
    forgetLists() {
      endGeneration();
      for (const key of kept.keys()) if (isList(key)) kept.delete(key);
    },
    forgetAll() {
      endGeneration();
      kept.clear();
    },
    counts: () => ({ ...counts, bytes: kept.calculatedSize, entries: kept.size }),
  };
}

const sizeOf = (answer: Answer | null, key: string): number =>
  OVERHEAD_BYTES + key.length + (answer?.wire.length ?? 0) + (answer?.links?.length ?? 0);
