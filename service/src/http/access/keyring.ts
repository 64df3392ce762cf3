import { timingSafeEqual } from "node:crypto";
import type { Logger } from "pino";
import { hashToken, readTokenId } from "#identity/api-key.ts";
import { type KnownKey, listKeysChangedSince } from "#store/access/api-keys.ts";
import type { Connection } from "#store/engine/database.ts";

/** A valid key's id; or that of a key which is revoked or expired; or that no such key is known. */
export type Verdict = { keyId: string } | { revokedId: string } | "unknown";

export type Keyring = {
  judge: (token: string) => Verdict | Promise<Verdict>;
  close: () => void;
};

/** Keys that were made, adopted or revoked are known after this time at the latest, as long as the database answers. */
const REFRESH_EVERY_MS = 5_000;
/** Now and then everything is read anew, so that nothing done to the table by hand stays unnoticed. */
const READ_ALL_EVERY = 12;
/** An unknown token of our form asks the database, but all of them together not more often than this. */
const ASK_EVERY_MS = 1_000;
const MOST_RECENT = 10_000;
/** A transaction may commit later than the time it was stamped with; this much is read again. */
const OVERLAP_MS = 60_000;

/**
 * All keys, in memory, kept up by asking for what has changed. So no key costs a query of its own: junk is told by its form,
 * a foreign token by its hash, and unknown tokens of our form bring the next question forward, once a second at the most.
 * While the database does not answer, what was known last stands, and of an unknown token of our form nothing can be said.
 */
export async function openKeyring(database: Connection, log: Logger): Promise<Keyring> {
  let issued = new Map<string, KnownKey>();
  let adopted = new Map<string, KnownKey>();
  /** Tokens met since the last look at the keys, and whose they are: hashing each time costs more than all the rest. */
  const recent = new Map<string, KnownKey>();
  let readAt = new Date(0);
  let refreshes = 0;
  let asking: Promise<void> | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let failure: Error | null = null;

  async function askForChanges(): Promise<void> {
    const all = refreshes++ % READ_ALL_EVERY === 0;
    const changed = await listKeysChangedSince(database, all ? new Date(0) : new Date(readAt.getTime() - OVERLAP_MS));
    if (all) {
      issued = new Map();
      adopted = new Map();
    }
    for (const key of changed.keys) {
      if (key.adopted) adopted.set(key.hash.toString("base64"), key);
      else issued.set(key.key_id, key);
    }
    readAt = changed.readAt;
    recent.clear();
  }

  function refresh(): Promise<void> {
    asking ??= askForChanges()
      .then(() => {
        failure = null;
      })
      .catch((error: Error) => {
        failure = error;
        log.warn({ err: error }, "keys could not be read; what was known last stands");
      })
      .finally(() => {
        asking = null;
        askedAt = performance.now();
      });
    return asking;
  }

  function findKey(id: string | null, token: string): KnownKey | undefined {
    const hash = hashToken(token);
    const own = id === null ? undefined : issued.get(id);
    return own && timingSafeEqual(own.hash, hash) ? own : adopted.get(hash.toString("base64"));
  }

  function judgeKnown(id: string | null, token: string): Verdict {
    const key = findKey(id, token);
    if (key === undefined) return "unknown";
    if (recent.size >= MOST_RECENT) recent.clear();
    recent.set(token, key);
    return verdictOn(key);
  }

  async function judgeAfterRefresh(id: string, token: string): Promise<Verdict> {
    if (asking !== null || performance.now() - askedAt >= ASK_EVERY_MS) await refresh();
    const verdict = judgeKnown(id, token);
    if (verdict === "unknown" && failure !== null) throw failure;
    return verdict;
  }

  function judge(token: string): Verdict | Promise<Verdict> {
    const key = recent.get(token);
    if (key !== undefined) return verdictOn(key);
    const id = readTokenId(token);
    const verdict = judgeKnown(id, token);
    return id === null || verdict !== "unknown" ? verdict : judgeAfterRefresh(id, token);
  }

  // The first look must succeed: a node that knows no keys would refuse them all.
  await askForChanges();
  askedAt = performance.now();
  const timer = setInterval(refresh, REFRESH_EVERY_MS);
  timer.unref();
  return { judge, close: () => clearInterval(timer) };
}

function verdictOn({ key_id, revoked_at, expires_at }: KnownKey): Verdict {
  const isValid = revoked_at === null && (expires_at === null || expires_at.getTime() > Date.now());
  return isValid ? { keyId: key_id } : { revokedId: key_id };
}
