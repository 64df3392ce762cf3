import type { Database } from "#core/database/database.ts";
import { listKeys } from "#keys/manage/api-keys.ts";
import { listCallers } from "#usage/manage/usage-reports.ts";

/** A client that a change of the life cycle affects, with its use of V1 in the last 30 days. */
export type AffectedClient = {
  key_id: string;
  label: string;
  contact: string;
  requests: number;
  last_at: Date | null;
};

export type Affected = {
  /** The owners of all valid keys, by their requests. */
  clients: AffectedClient[];
  /** Requests of clients that nobody can write to: without a key, or with one that is not valid. */
  unidentified_requests: number;
};

const DAYS = 30;
const DAY_MS = 86_400_000;

export async function findAffectedClients(database: Database): Promise<Affected> {
  const now = Date.now();
  const since = new Date(now - DAYS * DAY_MS).toISOString().slice(0, 10);
  const callers = new Map((await listCallers(database, since)).map((caller) => [caller.client, caller]));
  const clients: AffectedClient[] = [];
  for (const { key_id, label, contact, revoked_at, expires_at } of await listKeys(database)) {
    if (revoked_at !== null || (expires_at !== null && expires_at.getTime() <= now)) continue;
    const { requests = 0, last_at = null } = callers.get(key_id) ?? {};
    callers.delete(key_id);
    clients.push({ key_id, label, contact, requests, last_at });
  }
  clients.sort((a, b) => b.requests - a.requests);
  const unidentified_requests = [...callers.values()].reduce((total, { requests }) => total + requests, 0);
  return { clients, unidentified_requests };
}

/** True if a message can be sent to this contact: it has an e-mail address or a URL. */
export const isReachable = (contact: string): boolean => /\S@\S|:\/\/\S/.test(contact);
