import { type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { type Abilities, isOlderThanFile } from "#core/process/worker-processes.ts";
import { listSettingsInUse, type SettingsInUse } from "#holders/settings-in-use.ts";
import { insertUnproven } from "#privacy/audit.ts";
import { analyzePeople } from "#privacy/planner-statistics.ts";
import { lacksNewestKey } from "#privacy/require-opt-out-keys.ts";
import { carryOut } from "./carry-out.ts";
import { readFacts } from "./read-facts.ts";
import { isUnverifiedWithdrawal, nextStep, type Proof } from "./request-rules.ts";
import {
  listDueRequests,
  listNewRequests,
  lockOpenRequest,
  type OpenRequest,
  refuseUnlisted,
  refuseUnproven,
  updateFailed,
} from "./requests.ts";
import type { HolderSettings } from "./settings.ts";
import { verifyProof } from "./verify-proof.ts";
import { isFaultOfSettings } from "./worker-settings.ts";

const BATCH_REQUESTS = 100;

export type ProcessedRequests = {
  /** Requests that were taken a step further. */
  advanced: number;
  /** Requests refused because their record does not list the wallet. */
  unlisted: number;
  /** Requests refused because the holder did not sign them. */
  forged: number;
  /** Signed requests that this worker cannot verify. They are tried again later. */
  unverifiable: number;
  /** Of these, requests that would end an erasure that waits, when they are looked at first. They postpone it. */
  withdrawals_unverifiable: number;
  /** Requests whose step failed. They are tried again later. */
  failed: number;
};

export const nothingProcessed = (): ProcessedRequests => ({
  advanced: 0,
  unlisted: 0,
  forged: 0,
  unverifiable: 0,
  withdrawals_unverifiable: 0,
  failed: 0,
});

export const addProcessed = (done: ProcessedRequests, more: ProcessedRequests): ProcessedRequests => ({
  advanced: done.advanced + more.advanced,
  unlisted: done.unlisted + more.unlisted,
  forged: done.forged + more.forged,
  unverifiable: done.unverifiable + more.unverifiable,
  withdrawals_unverifiable: done.withdrawals_unverifiable + more.withdrawals_unverifiable,
  failed: done.failed + more.failed,
});

export const hasProcessed = (processed: ProcessedRequests): boolean =>
  Object.values(processed).some((requests) => requests > 0);

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
  // Another key than that of the other tombstones here: erasures wait, all other requests go on.
  const isOtherKey = await lacksNewestKey(database, configured.optOutKeys);
  const settings = isOtherKey ? { ...configured, optOutKey: null } : configured;
  // A backup was restored: what is open or due may have been withdrawn since.
  if (await isOlderThanFile(database)) return nothingProcessed();
  const abilities = abilitiesOf(settings);
  const unlisted = abilities.verifies ? await refuseAllUnlisted(database) : 0;
  // New requests first: what is tried again may fail for a long time, and a new request may end an
  // erasure that is due.
  const fresh = abilities.verifies ? await verifyAll(database, await listNewRequests(database), settings) : NONE;
  const due = await verifyAll(database, await listDueRequests(database, abilities, BATCH_REQUESTS), settings);
  const forged = await refuseForged(database, [...fresh.forgedIds, ...due.forgedIds], unlisted);
  const processed = { ...nothingProcessed(), unlisted, forged };
  let hasErased = false;
  for (const [request, proof] of [...fresh.proven, ...due.proven]) {
    try {
      const result = await processRequest(database, request, proof, settings);
      hasErased ||= result === "erased";
      if (result === "unverifiable" || result === "withdrawal") processed.unverifiable += 1;
      if (result === "withdrawal") processed.withdrawals_unverifiable += 1;
      if (result === "advanced" || result === "erased") processed.advanced += 1;
    } catch (error) {
      onFailure(error);
      processed.failed += 1;
      await updateFailed(database, request.request_id, String((error as Error).message ?? error));
    }
  }
  // The planner's statistics contain values of erased people. Once for the batch: it takes far longer
  // than an erasure.
  if (hasErased) await analyzePeople(database);
  return processed;
}

type Proven = [request: OpenRequest, proof: Proof];
type Verified = { proven: Proven[]; forgedIds: number[] };

const NONE: Verified = { proven: [], forgedIds: [] };

/**
 * Requests that no record lists, and those that nobody signed, are refused before any step waits for
 * the lock of people: otherwise the time would tell which of both it was.
 */
const refuseAllUnlisted = (database: Database): Promise<number> =>
  inTransaction(database, async (connection) => {
    await planLookUps(connection);
    return refuseUnlisted(connection);
  });

const refuseForged = (database: Database, requestIds: readonly number[], unlisted: number): Promise<number> =>
  inTransaction(database, async (connection) => {
    const { length } = requestIds.length === 0 ? [] : await refuseUnproven(connection, requestIds);
    if (unlisted + length > 0) await insertUnproven(connection, unlisted + length);
    return length;
  });

/** The fields that are verified never change, so a request is verified until it is valid once. */
async function verifyAll(
  database: Database,
  requests: readonly OpenRequest[],
  settings: HolderSettings,
): Promise<Verified> {
  const verified: Verified = { proven: [], forgedIds: [] };
  let used: SettingsInUse[] | null = null;
  const explain = async (issuedAt: Date, receivedAt: Date): Promise<"unverifiable" | "forged"> => {
    used ??= await listSettingsInUse(database);
    return isFaultOfSettings(used, settings, issuedAt, receivedAt) ? "unverifiable" : "forged";
  };
  for (const request of requests) {
    const isVerified = request.state !== "received" && request.state !== "unverifiable";
    const found = isVerified ? "valid" : verifyProof(request, settings);
    const proof = typeof found === "string" ? found : await explain(found.issuedAt, request.received_at);
    if (proof === "forged") verified.forgedIds.push(request.request_id);
    else verified.proven.push([request, proof]);
  }
  return verified;
}

/** Null if nothing happened, for example because another worker or the operator was faster. */
function processRequest(
  database: Database,
  request: OpenRequest,
  proof: Proof,
  settings: HolderSettings,
): Promise<"advanced" | "erased" | "unverifiable" | "withdrawal" | null> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const current = await lockOpenRequest(connection, request.request_id);
    if (current === null || current.state !== request.state || current.attempts !== request.attempts) return null;
    const facts = await readFacts(connection, current);
    const step = nextStep(current, proof, facts, settings, current.now);
    const isErased = await carryOut(connection, current, step, settings);
    if (step.kind === "postpone") return null;
    if (step.kind === "try again") return isUnverifiedWithdrawal(current, facts) ? "withdrawal" : "unverifiable";
    return isErased ? "erased" : "advanced";
  });
}
