import { createHmac } from "node:crypto";
import type { Config } from "#core/config/config.ts";
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

const SHOWN: Readonly<Record<string, (row: HolderSettingsRow) => string>> = {
  HOLDER_REQUESTS: (row) => row.holder_requests,
  ERASE_GRACE: (row) => `${row.erase_grace_seconds / 3_600}h`,
  PUBLIC_URL: (row) => row.public_url,
};

/** The settings that differ, with their values; of keys only that they differ. */
export function describeDifferences(rows: readonly HolderSettingsRow[]): string[] {
  const differences = Object.entries(SHOWN).flatMap(([name, read]) => {
    const values = new Set(rows.map((row) => `${read(row)} (${row.process})`));
    return new Set(rows.map(read)).size > 1 ? [`${name} is ${[...values].join(", ")}`] : [];
  });
  return haveSameKeys(rows) ? differences : [...differences, "HOLDER_KEY differs"];
}

/** Whether each process accepts the texts that the others issue, with their newest key. */
const haveSameKeys = (rows: readonly HolderSettingsRow[]): boolean =>
  rows.every(({ holder_keys: issuing }) =>
    rows.every(({ holder_keys: accepting }) => accepting.split(" ").includes(issuing.split(" ")[0] ?? "")),
  );
