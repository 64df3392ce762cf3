import type { ClientBase, QueryConfig } from "pg";

// A database, a role or a server may have other defaults, and a pooler may drop what a connection asks
// for at its start. Times, numbers and texts would be read or written differently.

const ALWAYS: Readonly<Record<string, string>> = {
  DateStyle: "ISO, MDY",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  extra_float_digits: "1",
  bytea_output: "hex",
  client_encoding: "UTF8",
  standard_conforming_strings: "on",
  default_transaction_isolation: "read committed",
  default_transaction_read_only: "off",
  row_security: "on",
  statement_timeout: "0",
  lock_timeout: "0",
  // Only what `requireTrustedSchema` looks at.
  search_path: "public",
};

/** All settings of a connection: these, and those of its pool. */
export const sessionSettings = (others: Readonly<Record<string, string>>): Record<string, string> => ({
  ...ALWAYS,
  ...others,
});

/**
 * Faster than PostgreSQL's own compression: writing a document takes a third of the time. Some servers
 * are built without it, so no column asks for it.
 */
const COMPRESS_WITH_LZ4 = `select name, set_config(name, 'lz4', false)
  from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)`;

/** Of clients that are not from a pool. */
export const SESSION_TIMEOUT_MS = 10_000;

/** Sets everything on a new connection, and throws if the server has something else then, or does not respond. */
export async function setSession(
  client: ClientBase,
  settings: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<void> {
  const { rows } = await client.query<{ name: string; value: string }>({
    text: `select name, set_config(name, value, false) as value
     from unnest($1::text[], $2::text[]) as wanted (name, value)
     union all ${COMPRESS_WITH_LZ4}`,
    values: [Object.keys(settings), Object.values(settings)],
    query_timeout: timeoutMs,
  } as QueryConfig);
  const differing = rows.filter(({ name, value }) => name in settings && !isSame(settings[name] ?? "", value));
  if (differing.length === 0) return;
  const list = differing.map(({ name, value }) => `${name} is ${value}`).join(", ");
  throw new Error(`A connection did not get its settings: ${list}.`);
}

/** PostgreSQL prints times with a unit, such as 2s for 2000. */
const isSame = (wanted: string, found: string): boolean =>
  wanted === found || (/^\d+$/.test(wanted) && Number(wanted) === inMilliseconds(found));

function inMilliseconds(text: string): number {
  const [, number, unit = "ms"] = /^(\d+)(ms|s|min|h|d)?$/.exec(text) ?? [];
  return Number(number) * ({ ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? Number.NaN);
}
