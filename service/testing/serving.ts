import type { Person } from "@credence/contract/person.ts";
import { expect } from "vitest";
import { readConfig } from "#config.ts";
import { refreshStanding } from "#operations/standing/refresh-standing.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { createLog } from "#process/log.ts";
import { type RunningServer, startServer } from "#process/start-server.ts";
import { MAX_POOL_SIZES } from "#store/serving/reader.ts";
import { openReaders } from "#store/serving/readers.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { SERVE_ROLE, urlOf } from "./server.ts";
import { whenDone } from "./when-done.ts";

// Without a cache, what a test writes is what it reads; tests of the cache turn it on.
const ENVIRONMENT = { PORT: "0", PRIVATE_PORT: "0", PUBLIC_URL: "https://v1.example", CACHE_MAX_AGE: "0s" };

const KEY = /crd_[0-9A-Za-z]{48}/;

export type Serving = TestDatabase & RunningServer & { logs: string[] };

type Options = {
  environment?: Record<string, string>;
  /** Where to, instead of a clone of the template. */
  into?: TestDatabase;
  /** What to make of the database's address, for a relay in between. */
  through?: (url: string) => string;
  readUrl?: string;
  /** Long enough for a busy machine, unless a test is about statements that take too long. */
  statementTimeoutMs?: number;
};

/** Saves people in a database of their own and serves them on a real port, with the role that may only serve. */
export async function serving(people: readonly Person[], options: Options = {}): Promise<Serving> {
  const owned = options.into ?? (await testDatabase());
  if (people.length > 0) await savePeople(owned.database, people);
  await refreshStanding(owned.database);
  return { ...owned, ...(await serveDatabase(owned.name, options)) };
}

/** Serves a database that is there already: another node, so to speak. */
export async function serveDatabase(name: string, options: Options = {}): Promise<RunningServer & { logs: string[] }> {
  const url = urlOf(name, SERVE_ROLE);
  const readers = await openReaders({
    url: options.through?.(url) ?? url,
    readUrl: options.readUrl ?? null,
    statementTimeoutMs: options.statementTimeoutMs ?? 60_000,
    maxLagMs: 2_000,
    sizes: MAX_POOL_SIZES,
    onIdleError: () => {},
    onSwitch: () => {},
  });
  const logs: string[] = [];
  const log = createLog("debug", { write: (line: string) => void logs.push(line) });
  const config = readConfig({ ...ENVIRONMENT, ...options.environment });
  const server = await startServer({ config, readers, log });
  whenDone(async () => {
    await server.stop(0);
    await readers.end();
    // Whatever a test was about: no key may have reached the log.
    expect(logs.filter((line) => KEY.test(line))).toEqual([]);
  });
  return { ...server, logs };
}
