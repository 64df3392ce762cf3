import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Writers } from "./writes.ts";

const PAUSE_MS = 100;
/** Of the people who were hidden or erased, the last ones are asked for. */
const WATCHED = 100;

/** Asks a node for a person. Null: no usable response. */
async function lookUp(address: string, id: number): Promise<{ status: number; score: number } | null> {
  try {
    const response = await fetch(`${address}/api/v1/passports/${id}`, { signal: AbortSignal.timeout(5_000) });
    const body = (await response.json()) as { passport?: { score?: number } };
    return { status: response.status, score: body.passport?.score ?? 0 };
  } catch {
    return null;
  }
}

/** Repeats until stopped. */
function startRepeating(work: () => Promise<void>): () => Promise<void> {
  let isStopped = false;
  const repeat = async () => {
    while (!isStopped) {
      await work();
      await delay(PAUSE_MS);
    }
  };
  const repeating = repeat();
  return async () => {
    isStopped = true;
    await repeating;
  };
}

/** For how long, at most, a node shows a person after the hide or the erasure was acknowledged. */
export function watchHidden(addresses: readonly string[], { hidden }: Writers) {
  const settled = new Set<string>();
  let longest = 0;
  const stop = startRepeating(async () => {
    for (const [id, hiddenAt] of [...hidden].slice(-WATCHED)) {
      for (const address of addresses) {
        if (settled.has(`${address} ${id}`)) continue;
        const askedAt = performance.now();
        const status = (await lookUp(address, id))?.status;
        if (status === 404) settled.add(`${address} ${id}`);
        if (status === 200) longest = Math.max(longest, Math.round((askedAt - hiddenAt) / 1_000));
      }
    }
  });
  return {
    take: () => {
      const taken = longest;
      longest = 0;
      return taken;
    },
    /** Lists people that a node shows although it responded with 404 for them before. */
    findShownAgain: async (): Promise<string[]> => {
      const asked = [...hidden.keys()].slice(-WATCHED).flatMap((id) => addresses.map((address) => ({ id, address })));
      const gone = asked.filter(({ id, address }) => settled.has(`${address} ${id}`));
      const responses = await Promise.all(gone.map(({ id, address }) => lookUp(address, id)));
      return gone.flatMap(({ id }, index) =>
        responses[index]?.status === 200 ? [`passport ${id} is shown again`] : [],
      );
    },
    stop,
  };
}

/** How long a client that connects waits until it is connected or refused. It gives up after 20 s. */
export function watchConnections(url: string) {
  let slowest = 0;
  const stop = startRepeating(async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000 });
    client.on("error", () => {});
    const startedAt = performance.now();
    await client.connect().catch(() => {});
    slowest = Math.max(slowest, Math.round(performance.now() - startedAt));
    await client.end().catch(() => {});
  });
  return {
    take: () => {
      const taken = slowest;
      slowest = 0;
      return taken;
    },
    stop,
  };
}

/**
 * Reads the people whose versions are written. A node may respond with an older version than before
 * for a limited time, as documented; no node may respond with a version that nobody has sent.
 */
export function watchVersions(addresses: readonly string[], { versions }: Writers) {
  const newest = new Map<string, { version: number; seenAt: number }>();
  let longestMs = 0;
  let inventions: string[] = [];
  const stop = startRepeating(async () => {
    for (const address of addresses) {
      for (const [id, sent] of versions) {
        const askedAt = performance.now();
        const found = await lookUp(address, id);
        if (found?.status !== 200) continue;
        const key = `${address} ${id}`;
        const seen = newest.get(key) ?? { version: -1, seenAt: askedAt };
        if (found.score < seen.version) longestMs = Math.max(longestMs, askedAt - seen.seenAt);
        if (found.score > seen.version) newest.set(key, { version: found.score, seenAt: performance.now() });
        const isSent = found.score <= Math.max(sent, versions.get(id) ?? 0);
        if (!isSent) inventions.push(`passport ${id}: version ${found.score} was never sent`);
      }
    }
  });
  return {
    take: () => {
      const taken = { went_back_seconds: Math.round(longestMs / 100) / 10, inventions };
      [longestMs, inventions] = [0, []];
      return taken;
    },
    stop,
  };
}
