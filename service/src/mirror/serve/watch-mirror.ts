import type { Logger } from "pino";
import type { Connection } from "#core/database/database.ts";
import { isUnavailable, Unreadable } from "#core/database/failures.ts";
import { findMirrorState, type MirrorState } from "./mirror-state.ts";

/** How soon a take-over counts, and a mirror that began. What a poll of the publisher changes is hours away. */
const LOOK_EVERY_MS = 5_000;
const RETRY_MS = 1_000;

const UNREAD = "Whether this server is a mirror cannot be read.";

export type MirrorWatch = {
  /** Until when people may be shown, in milliseconds; Infinity if this is no mirror. */
  shownUntil: () => number;
  /** The server whose V1 this one shows, such as https://publisher.example; null if this is no mirror. */
  publisher: () => string | null;
  /**
   * Null after the first successful look. Before it, nobody is shown, and this looks again: it fails for the
   * same reason as the look.
   */
  unread: () => (() => Promise<void>) | null;
  close: () => void;
};

/** Times are milliseconds: `deadline` of the monotonic clock, `signedAt` of the publisher's. */
type Bound = { deadline: number; signedAt: number | null };

/** Without a new signature, the end comes no later: a clock of the database that goes back does not postpone it. */
export function nextBound(last: Bound | null, state: MirrorState | null, now: number): Bound {
  if (state === null) return { deadline: Number.POSITIVE_INFINITY, signedAt: null };
  const found = now + state.fresh_seconds * 1_000;
  const signedAt = state.latest_at?.getTime() ?? null;
  const isSame = last !== null && signedAt !== null && signedAt === last.signedAt;
  return { deadline: isSame ? Math.min(last.deadline, found) : found, signedAt };
}

/**
 * Looks until when this server may show people. The bound holds also if the database cannot be reached
 * later, and whatever the clock of this machine says.
 */
export async function watchMirror(database: Connection, log: Logger): Promise<MirrorWatch> {
  let bound: Bound | null = null;
  let publisher: string | null = null;
  let wasStale = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function read(): Promise<void> {
    const before = performance.now();
    const state = await findMirrorState(database).catch((error) => {
      throw isUnavailable(error) ? error : new Unreadable(UNREAD, { cause: error });
    });
    bound = nextBound(bound, state, before);
    publisher = state && new URL(state.url).origin;
  }
  let reading: Promise<void> | null = null;
  /** Requests that arrive together wait for one statement. */
  const readOnce = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };

  async function look(): Promise<void> {
    // The last bound holds.
    await readOnce().catch(() => {});
    const isStale = bound !== null && bound.deadline <= performance.now();
    if (isStale && !wasStale) {
      log.error("this mirror does not know who is shown at its publisher: it shows nobody; see `credence doctor`");
    } else if (wasStale && !isStale) log.info("this mirror knows again who is shown");
    wasStale = isStale;
    if (!isClosed) timer = setTimeout(look, bound === null ? RETRY_MS : LOOK_EVERY_MS).unref();
  }

  await look();
  return {
    shownUntil() {
      const { deadline } = bound ?? { deadline: Number.NEGATIVE_INFINITY };
      return Number.isFinite(deadline) ? Date.now() + deadline - performance.now() : deadline;
    },
    publisher: () => publisher,
    unread: () => (bound === null ? readOnce : null),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
