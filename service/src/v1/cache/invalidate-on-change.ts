import type { Logger } from "pino";
import type { Database } from "#core/database/database.ts";
import type { Listener } from "#core/database/listen.ts";
import { type ChangeNotice, listenForNotices } from "#core/database/notices.ts";
import { findTimeline } from "#core/database/server.ts";
import type { Keyring } from "#keys/serve/keyring.ts";
import type { AnswerCache } from "./answer-cache.ts";

const RECONNECT_MS = 1_000;
/** A notice may overtake replication. Old state that is cached meanwhile is invalidated again. */
const REPEAT_MS = 2_000;

/**
 * Invalidates cached answers, and reads API keys again, on change notices from the primary. Notices
 * are lost while disconnected, so everything is invalidated after each connect. Until then the TTL
 * of the cache limits staleness, and the interval of the keyring.
 */
export function invalidateOnChange(
  cache: AnswerCache,
  keyring: Pick<Keyring, "refreshSoon">,
  primary: Database,
  log: Logger,
  readsReplica: () => boolean,
): Listener & { isConnected: () => boolean } {
  let listener: Listener | null = null;
  let closed = false;
  /** When the notices were lost. Each outage is logged once, and its end. */
  let lostAt: number | null = null;
  const timers = new Set<NodeJS.Timeout>();
  const runLater = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer.unref());
  };

  const invalidate = (notice: ChangeNotice) => {
    if (notice === "keys") keyring.refreshSoon();
    else if (notice === "list") cache.invalidateLists();
    else if (notice === "all") cache.invalidateAll();
    else cache.invalidatePeople(notice);
  };
  const onNotice = (notice: ChangeNotice) => {
    invalidate(notice);
    if (readsReplica()) runLater(REPEAT_MS, () => invalidate(notice));
  };
  const onDisconnect = (error?: Error) => {
    listener = null;
    if (closed) return;
    if (lostAt === null) {
      log.warn(
        { err: error },
        "no change notices from the primary; cached answers may be out of date by up to CACHE_MAX_AGE",
      );
    }
    lostAt ??= performance.now();
    runLater(RECONNECT_MS, connect);
  };
  function connect(): void {
    listenForNotices(primary, onNotice, onDisconnect).then((opened) => {
      if (closed) return opened.close();
      listener = opened;
      if (lostAt !== null) {
        log.info({ seconds: Math.round((performance.now() - lostAt) / 1_000) }, "change notices arrive again");
      }
      lostAt = null;
      logChangeOfPrimary();
      cache.invalidateAll();
      keyring.refreshSoon();
    }, onDisconnect);
  }
  /** After a failover, another server is the primary. Its timeline has a higher number. */
  let timeline: number | null = null;
  const logChangeOfPrimary = async () => {
    const before = timeline;
    timeline = await findTimeline(primary).catch(() => before);
    if (before !== null && timeline !== before) log.info({ timeline }, "the primary changed");
  };
  connect();

  return {
    isConnected: () => listener !== null,
    close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      listener?.close();
    },
  };
}
