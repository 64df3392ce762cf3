import { randomInt } from "node:crypto";
import { formatToken, hashToken, randomTokenParts } from "#identity/api-key.ts";
import { insertKey } from "#store/access/api-keys.ts";
import type { Database } from "#store/engine/database.ts";

export type KeyOwner = { label: string; contact: string; expiresAt: Date | null };

/** Creates a key. Only its hash is stored: the returned token cannot be read again. */
export async function issueKey(database: Database, owner: KeyOwner): Promise<{ keyId: string; token: string }> {
  const { id: keyId, secret } = randomTokenParts(randomInt);
  const token = formatToken(keyId, secret);
  await insertKey(database, { keyId, hash: hashToken(token), adopted: false, ...owner });
  return { keyId, token };
}

export type Adopted = { keyId: string } | "known already";

/** Accepts a token that another server issued, by the token or its SHA-256. */
export async function adoptKey(
  database: Database,
  key: { token: string } | { hash: Buffer },
  owner: KeyOwner,
): Promise<Adopted> {
  const keyId = randomTokenParts(randomInt).id;
  const hash = "token" in key ? hashToken(key.token) : key.hash;
  return (await insertKey(database, { keyId, hash, adopted: true, ...owner })) ? { keyId } : "known already";
}
