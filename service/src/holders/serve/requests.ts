import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { RequestView } from "@credence/explorer/holder-requests/request-page.ts";
import type { Database } from "#core/database/database.ts";
import { Overloaded } from "#core/database/failures.ts";
import { runReadWrite } from "#core/database/run-read-write.ts";
import type { Wish } from "#holders/proof/message.ts";

/** A request whose signature this node has verified. */
export type NewRequest = {
  wish: Wish;
  /** In canonical form. */
  address: string;
  /** In the address of the request's page. Only its hash is stored. */
  code: string;
  /** The signed text. */
  message: string;
  signature: string;
  nonce: string;
};

/** What a serving node can do with requests: two functions of the database, and nothing else. */
export type HolderRequests = {
  /** Throws `Overloaded` if too many requests wait for a worker, in all or of this wallet. */
  enqueue: (request: NewRequest) => Promise<void>;
  /** Null for a code that is not stored. */
  stateOf: (code: string) => Promise<RequestView | null>;
  /** The state once a worker has looked at it; null if that takes too long, or too many wait for it. */
  awaitState: (code: string) => Promise<RequestView | null>;
};

/** A worker needs some milliseconds, so that the first page that a holder sees can be the result. */
const AWAIT_MS = 2_000;
const LOOK_EVERY_MS = 50;
const MAX_AWAITING = 20;

/** Over connections to the primary. */
export function openHolderRequests(database: Database): HolderRequests {
  // The same text may be sent twice at once, so a code is no key.
  const awaiting = new Set<{ code: string; until: number; resolve: (request: RequestView | null) => void }>();

  /** One query for all that wait, so that they take one connection. */
  async function look(): Promise<void> {
    while (awaiting.size > 0) {
      await delay(LOOK_EVERY_MS);
      const found = await findStates(
        database,
        [...awaiting].map(({ code }) => code),
      ).catch(() => null);
      for (const waiting of [...awaiting]) {
        const request = found?.get(waiting.code) ?? null;
        const isSettled = request !== null && request.state !== "received";
        if (!isSettled && found !== null && performance.now() < waiting.until) continue;
        awaiting.delete(waiting);
        waiting.resolve(isSettled ? request : null);
      }
    }
  }

  return {
    async enqueue({ wish, address, code, message, signature, nonce }) {
      const [row] = await runReadWrite<{ result: "stored" | "known" | "full" }>(
        database,
        "select enqueue_request($1, $2, $3, $4, $5, $6) as result",
        [hashOf(code), wish, address, message, signature, nonce],
      );
      if (row?.result === "full") throw new Overloaded("requests of holders");
    },
    stateOf: async (code) => (await findStates(database, [code])).get(code) ?? null,
    awaitState(code) {
      if (awaiting.size >= MAX_AWAITING) return Promise.resolve(null);
      return new Promise((resolve) => {
        awaiting.add({ code, until: performance.now() + AWAIT_MS, resolve });
        if (awaiting.size === 1) void look();
      });
    },
  };
}

async function findStates(database: Database, codes: readonly string[]): Promise<Map<string, RequestView>> {
  const byHash = new Map(codes.map((code) => [hashOf(code).toString("hex"), code]));
  const rows = await runReadWrite<RequestView & { hash: string }>(
    database,
    `select encode(code_hash, 'hex') as hash, wish, state, note, received_at as "receivedAt", due_at as "dueAt",
       completed_at as "completedAt", passport_ids::double precision[] as "passportIds", address
     from states_of_requests($1)`,
    [[...byHash.keys()].map((hash) => Buffer.from(hash, "hex"))],
  );
  return new Map(rows.map(({ hash, ...request }) => [byHash.get(hash) ?? "", request]));
}

const hashOf = (code: string): Buffer => createHash("sha256").update(code).digest();

export const isCode = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);
