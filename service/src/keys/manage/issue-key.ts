import { randomInt } from "node:crypto";
import type { Connection } from "#core/database/database.ts";
import { formatToken, hashToken, randomTokenParts } from "#core/identity/api-key.ts";
import { insertKey } from "./api-keys.ts";

export type KeyOwner = {
  label: string;
  contact: string;
  expiresAt: Date | null;
  /** Points per 10 seconds; null or absent for the default. */
  pointsLimit?: number | null;
};

export type IssuedKey = { keyId: string; token: string };

/** Creates a key. Only its hash is stored: the returned token cannot be read again. */
export async function issueKey(database: Connection, owner: KeyOwner): Promise<IssuedKey> {
  const { id: keyId, secret } = randomTokenParts(randomInt);
  const token = formatToken(keyId, secret);
  await insertKey(database, { keyId, hash: hashToken(token), adopted: false, pointsLimit: null, ...owner });
  return { keyId, token };
}

export type Adopted = { keyId: string } | "known already";

/** A key of another server: its token, or the SHA-256 of it. */
export type AdoptedKey = { token: string } | { hash: Buffer };

/** Accepts a token that another server issued, by the token or its SHA-256. */
export async function adoptKey(database: Connection, key: AdoptedKey, owner: KeyOwner): Promise<Adopted> {
  const keyId = randomTokenParts(randomInt).id;
  const hash = "token" in key ? hashToken(key.token) : key.hash;
  const isNew = await insertKey(database, { keyId, hash, adopted: true, pointsLimit: null, ...owner });
  return isNew ? { keyId } : "known already";
}
