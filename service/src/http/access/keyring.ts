import { timingSafeEqual } from "node:crypto";
import type { Logger } from "pino";
import { hashToken, readTokenId } from "#identity/api-key.ts";
import type { Database } from "#store/database.ts";
import { type KnownKey, listKeysChangedSince } from "#store/keys.ts";

/** A valid key's id; what a bad key is: not valid any more, or never heard of. */
export type Verdict = { keyId: string } | "refused" | "unknown";

export type Keyring = {
  judge: (token: string) => Verdict | Promise<Verdict>;
  close: () => void;
};

/** Keys that were made, adopted or revoked are known after this time at the latest, as long as the database answers. */
export const REFRESH_EVERY_MS = 5_000;
/** An unknown token of our form asks the database, but all of them together not more often than this. */
const ASK_EVERY_MS = 1_000;
/** A transaction may commit later than the time it was stamped with; this much is read again. */
const OVERLAP_MS = 60_000;

/**
 * All keys, in memory, kept up by asking for what has changed. So no key costs a query of its own: junk is told by its form,
 * a foreign token by its hash, and unknown tokens of our form bring the next question forward, once a second at the most.
 * While the database does not answer, what was known last stands.
 */
export async function openKeyring(database: Database, log: Logger): Promise<Keyring> {
  const issued = new Map<string, KnownKey>();
  const adopted = new Map<string, KnownKey>();
  let since = new Date(0);
  let asking: Promise<void> | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function askForChanges(): Promise<void> {
    askedAt = performance.now();
    for (const key of await listKeysChangedSince(database, new Date(since.getTime() - OVERLAP_MS))) {
      if (key.adopted) adopted.set(key.hash.toString("base64"), key);
      else issued.set(key.key_id, key);
      if (key.changed_at > since) since = key.changed_at;
    }
  }

  function refresh(): Promise<void> {
    asking ??= askForChanges()
      .catch((error: Error) => log.warn({ err: error }, "keys could not be read; what was known last stands"))
      .finally(() => {
        asking = null;
      });
    return asking;
  }

  function judgeIssued(id: string, token: string): Verdict {
    const key = issued.get(id);
    if (key === undefined || !timingSafeEqual(key.hash, hashToken(token))) return "unknown";
    return isValid(key) ? { keyId: key.key_id } : "refused";
  }

  function judge(token: string): Verdict | Promise<Verdict> {
    const id = readTokenId(token);
    if (id === null) {
      const key = adopted.get(hashToken(token).toString("base64"));
      if (key === undefined) return "unknown";
      return isValid(key) ? { keyId: key.key_id } : "refused";
    }
    const verdict = judgeIssued(id, token);
    if (verdict !== "unknown") return verdict;
    if (asking === null && performance.now() - askedAt < ASK_EVERY_MS) return verdict;
    return refresh().then(() => judgeIssued(id, token));
  }

  // The first look must succeed: a node that knows no keys would refuse them all.
  await askForChanges();
  const timer = setInterval(refresh, REFRESH_EVERY_MS);
  timer.unref();
  return { judge, close: () => clearInterval(timer) };
}

function isValid({ revoked_at, expires_at }: KnownKey): boolean {
  return revoked_at === null && (expires_at === null || expires_at.getTime() > Date.now());
}
