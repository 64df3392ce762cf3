import { boundedBy } from "./bounded.ts";
import { type Connection, type Database, openDatabase } from "./database.ts";
import { Overloaded } from "./failures.ts";
import { LOOK_UP_SETTINGS, type LookUps, openLookUps } from "./look-ups.ts";

/** How serving reads one database: by small pools of their own, so that a search can never hold up a look-up. */
export type Reader = {
  lookUps: LookUps;
  /** For pages of the list, and whatever else is read by the way. */
  pages: Connection;
  search: Connection;
  pools: Readonly<Record<PoolName, Database>>;
  end: () => Promise<void>;
};
export type PoolName = "look-ups" | "pages" | "search";

export type ReaderOptions = {
  url: string;
  /** A look-up takes well under a millisecond: whoever waits this long waits for a database that is not well. */
  statementTimeoutMs: number;
  onIdleError: (error: Error) => void;
};

/**
 * More connections than twice the cores of a small server make all of them slower. Searches take turns: two at once were felt by
 * everyone who looked somebody up.
 */
const CONNECTIONS: Readonly<Record<PoolName, number>> = { "look-ups": 3, pages: 4, search: 1 };

export function openReader({ url, statementTimeoutMs, onIdleError }: ReaderOptions): Reader {
  const open = (name: PoolName, settings: Readonly<Record<string, string>> = {}) =>
    openDatabase({
      url,
      name: `credence serve: ${name}`,
      maxConnections: CONNECTIONS[name],
      keepConnections: true,
      statementTimeoutMs,
      settings: { default_transaction_read_only: "on", ...settings },
      onIdleError,
    });
  const pools = { "look-ups": open("look-ups", LOOK_UP_SETTINGS), pages: open("pages"), search: open("search") };
  const bounded = (pool: Database) => boundedBy(statementTimeoutMs + 500, pool);
  return {
    lookUps: openLookUps(bounded(pools["look-ups"])),
    pages: bounded(pools.pages),
    search: bounded(pools.search),
    pools,
    end: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
}

/** More searches than this are not kept waiting: whoever comes then is better told to come back. */
const MOST_WAITING = 16;
/** Made once: to trace each one takes time when there is none. */
const TOO_MANY = new Overloaded("searches");

export function refuseIfBusy({ pools }: Reader): void {
  if (pools.search.waitingCount >= MOST_WAITING) throw TOO_MANY;
}
