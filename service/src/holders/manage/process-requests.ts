import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { type Abilities, isOlderThanFile } from "#core/process/worker-processes.ts";
import { listMissingKeys } from "#decisions/erased-wallets.ts";
import { analyzePeople } from "#decisions/planner-statistics.ts";
import { findNonceKey, VALID_MS } from "#holders/proof/issue-message.ts";
import { parseMessage } from "#holders/proof/message.ts";
import { verifySignature } from "#holders/proof/verify-signature.ts";
import { advance } from "./carry-out.ts";
import { deleteForged, listDue, listNew, lockOpen, type OpenRequest, updateFailed, updateState } from "./requests.ts";
import { NOTES } from "./rules.ts";
import type { HolderSettings } from "./settings.ts";

const BATCH_REQUESTS = 100;
const ELSEWHERE =
  "A request of a holder was signed for another PUBLIC_URL or HOLDER_KEY: set those of the servers for workers.";

export type ProcessedRequests = {
  /** Requests that were taken a step further. */
  advanced: number;
  /** Requests deleted because the holder did not sign them. */
  forged: number;
  /** Requests whose step failed, or that this worker cannot check. They are tried again later. */
  failed: number;
};

export const nothingProcessed = (): ProcessedRequests => ({ advanced: 0, forged: 0, failed: 0 });

export const addProcessed = (done: ProcessedRequests, more: ProcessedRequests): ProcessedRequests => ({
  advanced: done.advanced + more.advanced,
  forged: done.forged + more.forged,
  failed: done.failed + more.failed,
});

export const abilitiesOf = ({ mode, keys, optOutKey }: HolderSettings): Abilities => ({
  verifies: mode !== "off" && keys.length > 0,
  erases: optOutKey !== null,
});

/**
 * Processes the requests that wait for a worker, up to a batch. A request that fails is tried again
 * later, and delays no other.
 */
export async function processRequests(
  database: Database,
  configured: HolderSettings,
  onFailure: (error: unknown) => void,
): Promise<ProcessedRequests> {
  const processed = nothingProcessed();
  // A backup was restored: what is open or due may have ended since.
  if (await isOlderThanFile(database)) return processed;
  // Without a key of earlier erasures this worker may have another key than imports: erasures wait.
  const lacksKey = (await listMissingKeys(database, configured.optOutKeys)).length > 0;
  const settings = lacksKey ? { ...configured, optOutKey: null } : configured;
  const { verifies, erases } = abilitiesOf(settings);
  let hasErased = false;
  const step = async (
    request: OpenRequest,
    work: (connection: Connection, locked: OpenRequest) => Promise<boolean>,
  ) => {
    try {
      const isAdvanced = await inTransaction(database, async (connection) => {
        await lockPeople(connection);
        const locked = await lockOpen(connection, request.request_id);
        // Another worker or the operator was faster.
        return locked !== null && locked.state === request.state && (await work(connection, locked));
      });
      if (isAdvanced) processed.advanced += 1;
    } catch (error) {
      onFailure(error);
      processed.failed += 1;
      await updateFailed(database, request.request_id, String((error as Error).message ?? error));
    }
  };
  // New requests first: one may end an erasure that is due.
  for (const request of verifies ? await listNew(database, BATCH_REQUESTS) : []) {
    const proof = verifyProof(request, settings);
    if (proof === "forged") processed.forged += (await deleteForged(database, [request.request_id])).length;
    else
      await step(request, async (connection, locked) => {
        if (proof === "elsewhere") throw new Error(ELSEWHERE);
        if (proof === "valid") await advance(connection, locked, settings);
        else
          await updateState(connection, locked.request_id, { state: "refused", note: NOTES.clock, passport_ids: [] });
        return true;
      });
  }
  for (const request of erases ? await listDue(database, BATCH_REQUESTS) : []) {
    await step(request, async (connection, locked) => {
      // A decision may have ended it meanwhile.
      if (locked.accepted.length === 0) return false;
      const done = await advance(connection, locked, settings);
      hasErased ||= done?.effect === "erased";
      return done !== null;
    });
  }
  // The planner's statistics contain values of erased people. Once for the batch: it takes far longer
  // than an erasure.
  if (hasErased) await analyzePeople(database);
  return processed;
}

/** How far the clock of a serving node may differ from the database's. */
const MAX_SKEW_MS = 5 * 60_000;

/**
 * Whether the holder signed exactly this request, for this server. A serving node has verified it
 * before, but the role of serving nodes may be in other hands. `elsewhere`: signed, but for another
 * PUBLIC_URL or HOLDER_KEY than this worker has.
 */
function verifyProof(
  request: Pick<OpenRequest, "wish" | "address" | "message" | "signature" | "nonce" | "received_at">,
  { domain, keys }: Pick<HolderSettings, "domain" | "keys">,
): "valid" | "forged" | "elsewhere" | "clock" {
  if (!verifySignature(request.message, request.signature, request.address)) return "forged";
  // Signed, but for another site: no version of this program writes such a text.
  const message = parseMessage(request.message);
  if (message === null) return "forged";
  const isSame =
    request.wish === message.wish && request.address === message.address && request.nonce === message.nonce;
  if (!isSame) return "forged";
  if (message.domain !== domain || findNonceKey(keys, message) === null) return "elsewhere";
  const ageMs = request.received_at.getTime() - message.issuedAt.getTime();
  return ageMs > VALID_MS + MAX_SKEW_MS || ageMs < -MAX_SKEW_MS ? "clock" : "valid";
}
