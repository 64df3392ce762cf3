import { V1_ENDPOINTS } from "@credence/contract/endpoints.ts";
import type { Database } from "#core/database/database.ts";
import { runReadWrite } from "#core/database/run-read-write.ts";

/** All routes whose requests are counted: those of V1, and the pages about people. */
export const ENDPOINTS = [
  ...V1_ENDPOINTS,
  ...(["/", "/leaderboard", "/search", "/passports/:id", "/compare", "/badge/:file"] as const),
] as const;

/** 401, 410 and 429 are counted separately: `4xx` is the rest of the class. */
export const STATUSES = ["2xx", "3xx", "401", "410", "429", "4xx", "5xx"] as const;

/** Clients without a key, and with a key that is not stored. Other clients are key ids. */
export const ANONYMOUS = "anonymous";
export const UNKNOWN_KEY = "unknown key";

export type UsageStatus = (typeof STATUSES)[number];
export type MarkKind = "user agent" | "origin" | "parameter" | "unknown key" | "key in URL" | "path";

export type UsageCount = {
  /** UTC, such as 2027-12-31. */
  day: string;
  client: string;
  endpoint: (typeof ENDPOINTS)[number];
  status: UsageStatus;
  requests: number;
  /** When the last of these requests was answered, in ISO 8601. */
  last_at: string;
};

/** How many requests had a value, such as a user agent. */
export type UsageMark = { day: string; kind: MarkKind; value: string; requests: number };

export type UsageBatch = {
  /** Random for each start of a node. */
  node: string;
  /** Increases with each batch of the node. */
  sequence: number;
  counts: UsageCount[];
  marks: UsageMark[];
};

/** The limits of the function record_usage. */
export const MAX_BATCH_COUNTS = 10_000;

/**
 * Writes a batch, and returns how many of its requests were added; null if the batch was written
 * before. After any other failure the result is unknown: write the same batch again.
 */
export async function recordUsage(database: Database, batch: UsageBatch): Promise<number | null> {
  const text = "select record_usage($1) as added";
  const [row] = await runReadWrite<{ added: number | null }>(database, text, [JSON.stringify(batch)]);
  return row?.added ?? null;
}
