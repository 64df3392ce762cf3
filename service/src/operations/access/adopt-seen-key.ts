import type { Connection } from "#store/engine/database.ts";
import { listUnknownKeyHashes } from "#store/usage/usage-reports.ts";
import { type Adopted, adoptKey, type KeyOwner } from "./issue-key.ts";

/** Accepts an unknown key that clients have sent, by the beginning of its SHA-256. */
export async function adoptSeenKey(
  database: Connection,
  prefix: string,
  owner: KeyOwner,
): Promise<Adopted | "not seen" | "ambiguous"> {
  const [hash, another] = await listUnknownKeyHashes(database, prefix.toLowerCase());
  if (hash === undefined) return "not seen";
  if (another !== undefined) return "ambiguous";
  return adoptKey(database, { hash: Buffer.from(hash, "hex") }, owner);
}
