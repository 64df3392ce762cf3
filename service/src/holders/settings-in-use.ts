import { createHmac } from "node:crypto";
import type { Config } from "#core/config/config.ts";
import { describeDifferences, formatGrace, type ShownSettings } from "#core/config/shown-settings.ts";
import type { Connection } from "#core/database/database.ts";

// A promise to a holder is made by one process and kept by another. Each stores the settings on which
// promises depend, so that both can be compared.

/** `holder_keys`: fingerprints, the newest key first. */
export type HolderSettingsRow = {
  process: "server" | "worker";
  holder_requests: Config["holderRequests"];
  erase_grace_seconds: number;
  public_url: string;
  holder_keys: string;
};

export type SettingsInUse = HolderSettingsRow & {
  first_seen_at: Date;
  last_seen_at: Date;
  /** Whether a process with these settings was seen in the last 90 seconds. */
  is_running: boolean;
};

export type PromiseSettings = Pick<Config, "holderRequests" | "eraseGraceMs" | "publicUrl" | "holderKeys">;

export const settingsRow = (process: HolderSettingsRow["process"], config: PromiseSettings): HolderSettingsRow => ({
  process,
  holder_requests: config.holderRequests,
  erase_grace_seconds: config.eraseGraceMs / 1_000,
  public_url: config.publicUrl,
  holder_keys: config.holderKeys.map(fingerprintOf).join(" "),
});

/** Tells whether two keys are the same, and nothing else about them. */
const fingerprintOf = (key: string): string =>
  createHmac("sha256", key).update("credence holder key").digest("hex").slice(0, 16);

export async function listSettingsInUse(connection: Connection): Promise<SettingsInUse[]> {
  const { rows } = await connection.query<SettingsInUse>(
    `select process, holder_requests, erase_grace_seconds, public_url, holder_keys, first_seen_at, last_seen_at,
       last_seen_at > now() - interval '90 seconds' as is_running
     from holder_settings order by process, first_seen_at`,
  );
  return rows;
}

export const GRACE_TOO_LONG = "ERASE_GRACE is longer than 30 days, and counts as 30 days: set it to 30d or less";

/** What a row says, in the form in which a node tells its settings. */
export const shownSettingsOf = (row: HolderSettingsRow): ShownSettings => ({
  HOLDER_REQUESTS: row.holder_requests,
  ERASE_GRACE: formatGrace(row.erase_grace_seconds * 1_000),
  PUBLIC_URL: row.public_url,
});

/** The settings that differ, with their values; of keys only that they differ. */
export function describePromiseDifferences(rows: readonly HolderSettingsRow[]): string[] {
  const differences = describeDifferences(rows.map((row) => ({ name: row.process, settings: shownSettingsOf(row) })));
  return haveSameKeys(rows) ? differences : [...differences, "HOLDER_KEY differs"];
}

/** Whether each process accepts the texts that the others issue, with their newest key. */
export const haveSameKeys = (rows: readonly Pick<HolderSettingsRow, "holder_keys">[]): boolean =>
  rows.every(({ holder_keys: issuing }) =>
    rows.every(({ holder_keys: accepting }) => accepting.split(" ").includes(issuing.split(" ")[0] ?? "")),
  );
