import type { Connection } from "./database.ts";
import { openReader, type Reader, type ReaderOptions } from "./reader.ts";
import { findReplayedPosition, findWalPosition, type LagWatch, lagOf, watchLag } from "./replica-lag.ts";

/** Where serving reads: the primary, or its replica while that is well and not far behind. */
export type Readers = {
  current: () => Reader;
  /** Whatever is read by the way goes here: to the same place. */
  connection: Connection;
  primary: Reader;
  replica: Replica | null;
  end: () => Promise<void>;
};

export type Replica = {
  isUsed: () => boolean;
  /** By how much what is read now may be behind the primary, at most. */
  lagMs: () => number;
};

export type ReadersOptions = Omit<ReaderOptions, "url"> & {
  url: string;
  readUrl: string | null;
  /** A replica that is further behind is not read. */
  maxLagMs: number;
  onSwitch: (to: "primary" | "replica", why: string) => void;
};

const LOOK_EVERY_MS = 1_000;

export async function openReaders(options: ReadersOptions): Promise<Readers> {
  const primary = openReader(options);
  if (options.readUrl === null)
    return readersOf(
      () => primary,
      primary,
      null,
      () => primary.end(),
    );

  const replica = openReader({ ...options, url: options.readUrl });
  let watch: LagWatch = { samples: [], heldAt: null };
  const lagMs = () => lagOf(watch, Date.now());
  let used = false;
  let looking = false;
  const decide = (use: boolean, why: string) => {
    if (use !== used) options.onSwitch(use ? "replica" : "primary", why);
    used = use;
  };
  const look = async () => {
    const now = Date.now();
    // Without the primary there is nothing to be behind of, and nothing else to read.
    const written = await findWalPosition(primary.pages).catch(() => null);
    const replayed = await findReplayedPosition(replica.pages).catch((error: Error) => error);
    if (replayed instanceof Error) return decide(false, replayed.message);
    if (written !== null) watch = watchLag(watch, { written, replayed, now });
    decide(written === null || lagMs() <= options.maxLagMs, `it is ${lagMs()} ms behind`);
  };
  const lookOnce = async () => {
    if (looking) return;
    looking = true;
    await look();
    looking = false;
  };
  await lookOnce();
  const timer = setInterval(lookOnce, LOOK_EVERY_MS);
  timer.unref();
  const about = { isUsed: () => used, lagMs };
  return readersOf(
    () => (used ? replica : primary),
    primary,
    about,
    async () => {
      clearInterval(timer);
      await Promise.all([primary.end(), replica.end()]);
    },
  );
}

function readersOf(current: () => Reader, primary: Reader, replica: Replica | null, end: () => Promise<void>): Readers {
  const query = ((...given: Parameters<Connection["query"]>) => current().pages.query(...given)) as Connection["query"];
  return { current, connection: { query }, primary, replica, end };
}
