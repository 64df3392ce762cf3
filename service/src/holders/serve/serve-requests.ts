import { createHash, randomBytes } from "node:crypto";
import type { Database } from "#core/database/database.ts";
import { Overloaded } from "#core/database/failures.ts";
import { runReadWrite } from "#core/database/run-read-write.ts";
import type { HolderAction } from "#holders/proof/message.ts";
import type { RequestState } from "#holders/request-state.ts";

/** A request whose signature this node has verified. */
export type NewRequest = {
  action: HolderAction;
  passportId: number;
  /** In canonical form. */
  address: string;
  /** With it the holder reads the state. Only its hash is stored. */
  code: string;
  /** The signed text. */
  message: string;
  signature: string;
  nonce: string;
  /** What the page says at this moment: whether the operator decides, and the time until an erasure. */
  mode: "on" | "review";
  graceMs: number;
  /** Of a request to see: the secret that its form has; otherwise a new one. */
  secret?: string | null;
};

/**
 * `secret`: for data that is fetched later. Only its hash is stored, so it is null if the same text was
 * sent before: `isKnown`.
 */
export type Receipt = { code: string; secret: string | null; isKnown: boolean };

export type ShownRequest = {
  action: HolderAction;
  state: RequestState;
  /** For the holder: why the operator decides, or why the request was refused. */
  note: string | null;
  receivedAt: Date;
  /** When the record will be erased, while that is not done. */
  dueAt: Date | null;
  completedAt: Date | null;
  /** Until when the prepared data can be fetched; null if there is none. */
  availableUntil: Date | null;
  /** The states after the first, oldest first. */
  history: readonly { state: RequestState; at: Date }[];
};

/** What a serving node can do with requests: four functions of the database, and nothing else. */
export type HolderRequests = {
  /** Throws `Overloaded` if too many requests wait for a worker, in all or of this wallet. */
  enqueue: (request: NewRequest) => Promise<Receipt>;
  /** Null for a code that is not stored. */
  stateOf: (code: string) => Promise<ShownRequest | null>;
  /** Withdraws an open request; null for a code that is not stored. */
  withdraw: (code: string) => Promise<ShownRequest | null>;
  /** The prepared data as JSON; null if code and secret do not match, or after it expired. */
  fetch: (code: string, secret: string) => Promise<string | null>;
};

const SECRET_BYTES = 32;

/** For data that is fetched later. */
export const createSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url");

/** Over connections to the primary. */
export function openHolderRequests(database: Database): HolderRequests {
  const stateOf = async (code: string): Promise<ShownRequest | null> => {
    const codeHash = hashCode(code);
    if (codeHash === null) return null;
    const [row] = await runReadWrite<ShownRequest>(
      database,
      `select action, state, note, received_at as "receivedAt", due_at as "dueAt", completed_at as "completedAt",
         available_until as "availableUntil", history
       from state_of_request($1)`,
      [codeHash],
    );
    if (row === undefined) return null;
    return { ...row, history: row.history.map(({ state, at }) => ({ state, at: new Date(at) })) };
  };
  return {
    async enqueue({ action, passportId, address, code, message, signature, nonce, mode, graceMs, ...given }) {
      const secret = action === "see" ? (given.secret ?? createSecret()) : null;
      const secretHash = secret === null ? null : sha256(secret);
      const rows = await runReadWrite<{ result: "stored" | "known" | "full" }>(
        database,
        "select enqueue_request($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as result",
        [hashCode(code), secretHash, passportId, action, address, message, signature, nonce, mode, graceMs / 1_000],
      );
      const result = rows[0]?.result;
      if (result === "full") throw new Overloaded("requests of holders");
      const isKnown = result === "known";
      return { code, secret: isKnown ? null : secret, isKnown };
    },
    stateOf,
    async withdraw(code) {
      const codeHash = hashCode(code);
      if (codeHash !== null) await runReadWrite(database, "select withdraw_request($1)", [codeHash]);
      return stateOf(code);
    },
    async fetch(code, secret) {
      const codeHash = hashCode(code);
      if (codeHash === null) return null;
      const rows = await runReadWrite<{ body: string | null }>(database, "select fetch_export($1, $2) as body", [
        codeHash,
        sha256(secret.trim()),
      ]);
      return rows[0]?.body ?? null;
    },
  };
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Null if the text is not a code. Hyphens and case do not matter. */
function hashCode(code: string): Buffer | null {
  const digits = code.replaceAll(/[\s-]/g, "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) ? sha256(digits) : null;
}
