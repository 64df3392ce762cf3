import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "#core/config/config.ts";
import { openDatabase } from "#core/database/database.ts";
import { describeDataFault } from "#core/database/failures.ts";
import { recordUsage, UNKNOWN_KEY, type UsageBatch } from "#usage/record-usage.ts";
import { suggestPrefixes } from "#usage/suggest-prefixes.ts";
import { createUsageBuffer, sumRequests } from "./usage-buffer.ts";
import type { Usage } from "./usage-counter.ts";

/** After SIGKILL, the counts of this time are lost. */
const WRITE_EVERY_MS = 9_000;
const STATEMENT_TIMEOUT_MS = 2_000;
/** How long a stop waits for the primary database. */
const CLOSE_TIMEOUT_MS = 3_000;
const RETRY_MS = 200;
const HOUR_MS = 3_600_000;

/** Requests counted for usage: `waiting` in memory for the database, `lost` since the start. */
export type UsageState = { waiting: number; lost: number };

export type UsageWriter = {
  /** Writes what was counted so far. */
  write: () => Promise<void>;
  state: () => UsageState;
  /** Writes the rest, and closes the connection. Logs what could not be written. */
  close: () => Promise<void>;
};

export type UsageWriterOptions = {
  /** The primary database. */
  url: string;
  log: Logger;
  config: Pick<Config, "authMode" | "v1AlsoAt">;
  /** Returns what was counted since the last call. */
  take: () => Usage;
};

const requestsOf = ({ counts }: Pick<UsageBatch, "counts">): number => sumRequests(counts);

/**
 * Writes the usage of a node to the primary database, through one connection. While the database is
 * unreachable, counts are added up in memory. After a failure the same batch is written again: the
 * database ignores it if it was committed.
 */
export function openUsageWriter({ url, log, config, take }: UsageWriterOptions): UsageWriter {
  const database = openDatabase({
    url,
    name: "credence serve: usage",
    maxConnections: 1,
    keepIdleConnections: true,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    settings: { default_transaction_read_only: "on" },
  });
  const node = randomUUID();
  const buffer = createUsageBuffer();
  const report = hourlyReport(log, config);
  let sequence = 0;
  /** The batch that is being written, or whose result is unknown. */
  let current: UsageBatch | null = null;
  let writing: Promise<boolean> | null = null;
  let isFailing = false;
  let lost = 0;

  const logLost = (requests: number, why: string) => {
    lost += requests;
    if (requests > 0) log.error({ requests }, `usage counts were lost: ${why}`);
  };

  function add(usage: Usage): void {
    report.count(usage);
    logLost(buffer.add(usage), "too many clients");
  }

  function nextBatch(): UsageBatch | null {
    const batch = buffer.takeBatch();
    if (batch === null) return null;
    sequence += 1;
    return { node, sequence, ...batch };
  }

  async function writeBatch(batch: UsageBatch): Promise<void> {
    try {
      const added = await recordUsage(database, batch);
      logLost(added === null ? 0 : requestsOf(batch) - added, "too old, or of deleted keys");
    } catch (error) {
      // The database will never accept this batch.
      if (describeDataFault(error) === null) throw error;
      log.error({ err: error }, "usage counts were refused");
      logLost(requestsOf(batch), "refused by the database");
    }
  }

  /** False if the database did not accept everything. */
  async function writeAll(): Promise<boolean> {
    try {
      for (current ??= nextBatch(); current !== null; current = nextBatch()) await writeBatch(current);
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, "cannot write usage counts; they stay in memory");
      isFailing = true;
      return false;
    }
    if (isFailing) log.info("usage counts are written again");
    isFailing = false;
    return true;
  }

  async function write(): Promise<boolean> {
    add(take());
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    return writing;
  }

  const timer = setInterval(write, WRITE_EVERY_MS);
  timer.unref();

  async function closeNow(): Promise<void> {
    clearInterval(timer);
    report.close();
    await writing;
    const until = performance.now() + CLOSE_TIMEOUT_MS;
    while (!(await write()) && performance.now() < until) await delay(RETRY_MS);
    let unwritten = current === null ? 0 : requestsOf(current);
    for (let batch = buffer.takeBatch(); batch !== null; batch = buffer.takeBatch()) unwritten += requestsOf(batch);
    logLost(unwritten, "the database did not accept them before the stop");
    await database.end();
  }

  const state = () => ({ waiting: buffer.countRequests() + (current === null ? 0 : requestsOf(current)), lost });

  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= closeNow();
    return closing;
  };
  return { write: async () => void (await write()), state, close };
}

/** Logs once an hour how many requests had unknown keys or asked for V1 elsewhere, and what to do. */
function hourlyReport(log: Logger, { authMode, v1AlsoAt }: Pick<Config, "authMode" | "v1AlsoAt">) {
  let withUnknownKey = 0;
  let paths = new Map<string, number>();
  const reportKeys = () => {
    const result = authMode === "open" ? "accepted: AUTH_MODE is open" : "refused";
    const advice = "credence usage unknown-keys lists them; credence keys adopt --seen PREFIX accepts one";
    log.warn({ requests: withUnknownKey }, `requests with unknown keys in the last hour were ${result}. ${advice}`);
  };
  const reportPaths = () => {
    const counted = Array.from(paths, ([path, requests]) => ({ path, requests }));
    const { others, setting } = suggestPrefixes(counted, v1AlsoAt);
    if (setting === null) return;
    const requests = others.reduce((sum, other) => sum + other.requests, 0);
    log.warn(
      { requests },
      `requests in the last hour asked for V1 under another path. ${setting} answers them; credence usage --by path lists all paths`,
    );
  };
  const timer = setInterval(() => {
    if (withUnknownKey > 0) reportKeys();
    reportPaths();
    withUnknownKey = 0;
    paths = new Map();
  }, HOUR_MS);
  timer.unref();
  return {
    count(usage: Usage) {
      for (const count of usage.counts) if (count.client === UNKNOWN_KEY) withUnknownKey += count.requests;
      for (const { kind, value, requests } of usage.marks) {
        if (kind === "path") paths.set(value, (paths.get(value) ?? 0) + requests);
      }
    },
    close: () => clearInterval(timer),
  };
}
