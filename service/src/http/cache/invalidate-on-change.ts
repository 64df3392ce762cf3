import type { Logger } from "pino";
import { listenForNotices, type Notice } from "#store/engine/change-notices.ts";
import type { Database } from "#store/engine/database.ts";
import type { Listener } from "#store/engine/listen.ts";
import type { AnswerCache } from "./answer-cache.ts";

const TRY_AGAIN_MS = 1_000;
/** A word from the primary may be here before the change is on the replica: what was read back in between is forgotten again. */
const FORGET_AGAIN_MS = 2_000;

/**
 * Forgets answers as soon as the primary tells that they have changed. Words may be missed while there is no connection, so all is
 * forgotten once there is one again; until then the age limit of the cache is the bound.
 */
export function invalidateOnChange(
  cache: AnswerCache,
  primary: Database,
  log: Logger,
  readsReplica: () => boolean,
): Listener {
  let ear: Listener | null = null;
  let closed = false;
  const timers = new Set<NodeJS.Timeout>();
  const later = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer.unref());
  };

  const forget = (notice: Notice) => {
    if (notice === "list") cache.invalidateLists();
    else if (notice === "everyone") cache.invalidateAll();
    else cache.invalidatePeople(notice);
  };
  const onNotice = (notice: Notice) => {
    forget(notice);
    if (readsReplica()) later(FORGET_AGAIN_MS, () => forget(notice));
  };
  const start = (): void => {
    const lost = (error?: Error) => {
      ear = null;
      if (closed) return;
      log.warn({ err: error }, "not told of changes; answers are kept no longer than CACHE_MAX_AGE all the same");
      later(TRY_AGAIN_MS, start);
    };
    listenForNotices(primary, onNotice, () => lost()).then((opened) => {
      if (closed) return opened.close();
      ear = opened;
      cache.invalidateAll();
    }, lost);
  };
  start();

  return {
    close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      ear?.close();
    },
  };
}
