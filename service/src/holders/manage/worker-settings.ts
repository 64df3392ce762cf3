import { type Connection, queryColumn, queryValue } from "#core/database/database.ts";
import { type SettingsInUse, settingsRow } from "#holders/settings-in-use.ts";
import { fingerprintOf } from "#privacy/opt-out.ts";
import type { HolderSettings } from "./settings.ts";

/** Stores the settings of this worker, for a comparison with those of servers and other workers. */
export async function reportSettings(connection: Connection, settings: HolderSettings): Promise<void> {
  const { holder_requests, erase_grace_seconds, public_url, holder_keys } = rowOf(settings);
  const optOutKeys = settings.optOutKeys.map(fingerprintOf).join(" ");
  await connection.query(
    `insert into holder_settings (process, holder_requests, erase_grace_seconds, public_url, holder_keys, opt_out_key)
     values ('worker', $1, $2, $3, $4, $5)
     on conflict (process, holder_requests, erase_grace_seconds, public_url, holder_keys, opt_out_key)
     do update set last_seen_at = now()`,
    [holder_requests, erase_grace_seconds, public_url, holder_keys, optOutKeys],
  );
  await connection.query("delete from holder_settings where last_seen_at < now() - interval '30 days'");
}

const rowOf = ({ mode, graceMs, publicUrl, keys }: HolderSettings) =>
  settingsRow("worker", { holderRequests: mode, eraseGraceMs: graceMs, publicUrl, holderKeys: [...keys] });

/** How long before its last report a process may have issued or received a text. */
const SEEN_LATE_MS = 90_000;

/**
 * Whether a signed text for another domain or key can be explained by settings: since it was issued,
 * those of servers and workers differed or changed, or they are not known. If they were all the
 * same, no process issued it.
 */
export function isFaultOfSettings(
  used: readonly SettingsInUse[],
  settings: HolderSettings,
  issuedAt: Date,
  receivedAt: Date,
): boolean {
  const isUsedAfter = (time: Date) => (row: SettingsInUse) =>
    row.last_seen_at.getTime() + SEEN_LATE_MS >= time.getTime();
  const since = used.filter(isUsedAfter(issuedAt));
  const isServerKnown = used
    .filter(({ process, first_seen_at }) => process === "server" && first_seen_at <= receivedAt)
    .some(isUsedAfter(receivedAt));
  const different = new Set([...since, rowOf(settings)].map((row) => `${row.public_url} ${row.holder_keys}`));
  return !isServerKnown || different.size > 1;
}

/** Fingerprints of the keys, the newest first, that running workers have; null for the serving role, which may not read them. */
export async function listOptOutKeys(connection: Connection): Promise<string[] | null> {
  const mayRead = await queryValue<boolean>(
    connection,
    "select has_column_privilege('holder_settings', 'opt_out_key', 'select')",
  );
  if (!mayRead) return null;
  return queryColumn<string>(
    connection,
    `select distinct opt_out_key from holder_settings
     where process = 'worker' and opt_out_key <> '' and last_seen_at > now() - interval '90 seconds'`,
  );
}
