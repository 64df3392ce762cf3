import { type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { ProgramTooOld, requireProgram } from "#core/database/required-program.ts";
import { type Abilities, isOlderThanFile } from "#core/process/worker-processes.ts";
import { insertUnproven } from "#privacy/audit.ts";
import { analyzePeople } from "#privacy/planner-statistics.ts";
import { carryOut } from "./carry-out.ts";
import { readFacts } from "./read-facts.ts";
import { nextStep, type Proof } from "./request-rules.ts";
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
  /** Requests whose step failed. They are tried again later. */
  failed: number;
};

export const nothingProcessed = (): ProcessedRequests => ({
  advanced: 0,
  unlisted: 0,
  forged: 0,
  unverifiable: 0,
  failed: 0,
});

export const addProcessed = (done: ProcessedRequests, more: ProcessedRequests): ProcessedRequests => ({
  advanced: done.advanced + more.advanced,
  unlisted: done.unlisted + more.unlisted,
  forged: done.forged + more.forged,
  unverifiable: done.unverifiable + more.unverifiable,
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
  settings: HolderSettings,
  onFailure: (error: unknown) => void,
): Promise<ProcessedRequests> {
  await requireProgram(database);
  // A backup was restored: what is open or due may have been withdrawn since.
  if (await isOlderThanFile(database)) return nothingProcessed();
  const abilities = abilitiesOf(settings);
  const { refused, requests: fresh } = abilities.verifies ? await lookAtNew(database, settings) : NOTHING_NEW;
  const processed = { ...nothingProcessed(), ...refused };
  let hasErased = false;
  // New requests first: what is tried again may fail for a long time, and a new request may end an
  // erasure that is due.
  for (const [request, proof] of [...fresh, ...(await listDue(database, settings, abilities))]) {
    try {
      const result = await processRequest(database, request, proof, settings);
      hasErased ||= result === "erased";
      if (result === "unverifiable") processed.unverifiable += 1;
      else if (result === "advanced" || result === "erased") processed.advanced += 1;
    } catch (error) {
      if (error instanceof ProgramTooOld) throw error;
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

const NOTHING_NEW = { refused: { unlisted: 0, forged: 0 }, requests: [] as Proven[] };

/**
 * Looks at new requests. Those that no record lists, and those that nobody signed, are refused before
 * any step waits for the lock of people: otherwise the time would tell which of both it was.
 */
async function lookAtNew(database: Database, settings: HolderSettings) {
  const unlisted = await inTransaction(database, async (connection) => {
    await planLookUps(connection);
    return refuseUnlisted(connection);
  });
  const { proven, forgedIds } = verifyAll(await listNewRequests(database), settings);
  const forged = await inTransaction(database, async (connection) => {
    const { length } = forgedIds.length === 0 ? [] : await refuseUnproven(connection, forgedIds);
    if (unlisted + length > 0) await insertUnproven(connection, unlisted + length);
    return length;
  });
  return { refused: { unlisted, forged }, requests: proven };
}

/** The signatures of these were valid before. */
async function listDue(database: Database, settings: HolderSettings, abilities: Abilities): Promise<Proven[]> {
  return verifyAll(await listDueRequests(database, abilities, BATCH_REQUESTS), settings).proven;
}

/** The fields that are verified never change, so a request is verified until it is valid once. */
function verifyAll(requests: readonly OpenRequest[], settings: HolderSettings) {
  const proven: Proven[] = [];
  const forgedIds: number[] = [];
  for (const request of requests) {
    const isVerified = request.state !== "received" && request.state !== "unverifiable";
    const proof = isVerified ? "valid" : verifyProof(request, settings);
    if (proof === "forged") forgedIds.push(request.request_id);
    else proven.push([request, proof]);
  }
  return { proven, forgedIds };
}

/** Null if nothing happened, for example because another worker or the operator was faster. */
function processRequest(
  database: Database,
  request: OpenRequest,
  proof: Proof,
  settings: HolderSettings,
): Promise<"advanced" | "erased" | "unverifiable" | null> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const current = await lockOpenRequest(connection, request.request_id);
    if (current === null || current.state !== request.state || current.attempts !== request.attempts) return null;
    const step = nextStep(current, proof, await readFacts(connection, current), settings, current.now);
    const isErased = await carryOut(connection, current, step, settings);
    if (step.postpones) return null;
    if (step.state === "unverifiable") return "unverifiable";
    return isErased ? "erased" : "advanced";
  });
}
