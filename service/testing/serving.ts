import type { Person } from "@credence/contract/person.ts";
import { expect } from "vitest";
import { SERVER } from "#app/serve/open-serving.ts";
import { type RunningServer, startServer } from "#app/serve/start-server.ts";
import { readConfig } from "#core/config/config.ts";
import { DEADLINE_MS } from "#core/http/respond/deadline.ts";
import { createLog } from "#core/process/log.ts";
import { openReaders } from "#core/readers/choose-reader.ts";
import { MAX_POOL_SIZES } from "#core/readers/open-reader.ts";
import type { DemoWallet } from "#holders/proof/create-wallet.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import type { UsageCounter } from "#usage/serve/usage-counter.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { SERVE_ROLE, urlOf } from "./server.ts";
import { showOnFailure } from "./show-on-failure.ts";
import { UNLIMITED } from "./unlimited.ts";
import { whenDone } from "./when-done.ts";

// The cache is off, so that a test reads its own writes. Tests of the cache enable it.
const ENVIRONMENT = {
  ...{ PORT: "0", PRIVATE_PORT: "0", PUBLIC_URL: "https://v1.example", CACHE_MAX_AGE: "0s" },
  // Tests send more than a client may. Tests of the limits set them.
  ...UNLIMITED,
};

const KEY = /crd_[0-9A-Za-z]{48}/;

export type Serving = TestDatabase & RunningServer & { logs: string[] };

type Options = {
  environment?: Record<string, string>;
  /** The database to use instead of a clone of the template. */
  into?: TestDatabase;
  /** Replaces the URL of the database, for example by that of a relay. */
  through?: (url: string) => string;
  readUrl?: string;
  usage?: UsageCounter;
  isDemo?: true;
  demoWallet?: DemoWallet;
  /** The default is long enough for a busy machine. */
  statementTimeoutMs?: number;
};

/** Saves people in a test database and serves them on a free port, as the serving role. */
export async function serving(people: readonly Person[], options: Options = {}): Promise<Serving> {
  const target = options.into ?? (await testDatabase());
  if (people.length > 0) await savePeople(target.database, people);
  await refreshStanding(target.database);
  return { ...target, ...(await serveDatabase(target.name, options)) };
}

/** Starts a server on an existing database, for example as another node. */
export async function serveDatabase(name: string, options: Options = {}): Promise<RunningServer & { logs: string[] }> {
  const url = urlOf(name, SERVE_ROLE);
  const readers = await openReaders({
    program: SERVER,
    url: options.through?.(url) ?? url,
    readUrl: options.readUrl ?? null,
    statementTimeoutMs: options.statementTimeoutMs ?? 60_000,
    maxWaitMs: DEADLINE_MS,
    maxLagMs: 2_000,
    sizes: MAX_POOL_SIZES,
    onLost: () => {},
    onSwitch: () => {},
  });
  const logs: string[] = [];
  const log = createLog("debug", { write: (line: string) => void logs.push(line) });
  showOnFailure("a server", () => logs.join(""));
  const { isDemo = false, demoWallet = null } = options;
  const config = { ...readConfig({ ...ENVIRONMENT, ...options.environment }), isDemo };
  const server = await startServer({
    config,
    readers,
    log,
    demoWallet,
    ...(options.usage && { usage: options.usage }),
  });
  whenDone(async () => {
    await server.stop(0);
    await readers.end();
    // Every test checks that no API key is logged.
    expect(logs.filter((line) => KEY.test(line))).toEqual([]);
  });
  return { ...server, logs };
}
