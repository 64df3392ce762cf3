import { Counter, type Registry } from "@prometheus-io/client";
import { type Connection, queryValue } from "#core/database/database.ts";
import { onScrape } from "#core/http/metrics/on-scrape.ts";

const EXPIRING_DAYS = 14;

/** Counts of requests by what is wrong with their key. */
export type KeyCounts = { countUnknownKey: () => void; countKeyInUrl: () => void };

export function createKeyCounts(registry: Registry): KeyCounts {
  const registers = [registry];
  const unknownKeys = new Counter({
    name: "credence_unknown_keys_total",
    help: "Requests with an unknown API key, accepted in open mode.",
    registers,
  });
  const keysInUrls = new Counter({
    name: "credence_keys_in_urls_total",
    help: "Requests with an API key in the URL.",
    registers,
  });
  return { countUnknownKey: () => unknownKeys.inc(), countKeyInUrl: () => keysInUrls.inc() };
}

export function observeKeys(registry: Registry, database: Connection): void {
  onScrape(registry).gauge("credence_keys_expiring", `Valid API keys that expire within ${EXPIRING_DAYS} days.`, () =>
    countExpiringKeys(database, EXPIRING_DAYS),
  );
}

/** Counts the valid keys that expire within some days. Scans the table, which is small. */
async function countExpiringKeys(connection: Connection, days: number): Promise<number> {
  return queryValue(
    connection,
    `select count(*) from api_key
     where revoked_at is null and expires_at > now() and expires_at < now() + $1 * interval '1 day'`,
    [days],
  );
}
