import { createRowEncoder } from "#core/database/copy.ts";
import { type Connection, type DedicatedConnection, planLookUps, transact } from "#core/database/database.ts";
import { describeDataFault, isDuplicateKey } from "#core/database/failures.ts";
import { lockPeople } from "#core/database/locks.ts";
import { updateHiddenByOperator } from "#people/facts/hidden-by-holder.ts";
import { listStoredIds } from "#people/facts/passports.ts";
import { updateSourceDigests } from "#people/facts/stored-states.ts";
import { deletePeople } from "#people/write/delete-people.ts";
import { findChanges } from "#people/write/find-changes.ts";
import type { PreparedPerson } from "#people/write/prepare-person.ts";
import { type Saved, writePeople } from "#people/write/save-people.ts";
import { listPendingHides, type PendingHide } from "#privacy/pending-hides.ts";
import { eraseWithAnother } from "#privacy/remove-people.ts";
import { type AdjustedPerson, adjustPerson } from "./adjust-person.ts";
import { classifyLines } from "./classify-lines.ts";
import { type ImportRun, type IncomingLine, type RefusedLine, reject } from "./import-run.ts";
import { applyPendingHides, keepHidden, recordPendingHides } from "./keep-hidden.ts";

/** What becomes of a batch: a plan is made in a transaction, and carried out in the same one. */
export type BatchMode = {
  /** Runs `work` as a whole or not at all. */
  transact: (connection: DedicatedConnection, work: () => Promise<Planned>) => Promise<Planned>;
  /** Before anything is read. */
  lock: (connection: Connection) => Promise<void>;
  carryOut: (connection: Connection, plan: BatchPlan, run: ImportRun, deleteFirst: boolean) => Promise<Outcome>;
};

/** Only an import changes people, and nobody else meanwhile: the lock is taken before opt-outs are read. */
export const WRITES: BatchMode = { transact, lock: lockPeople, carryOut: writeBatch };

/** PostgreSQL refuses all writes but those to temporary tables, and nobody waits for a dry run. */
export const DRY_RUN: BatchMode = {
  transact: (connection, work) => transact(connection, work, "read committed, read only"),
  lock: planLookUps,
  carryOut: previewBatch,
};

/**
 * Imports one batch, if possible in one transaction. If PostgreSQL refuses the data, the batch is
 * halved until the person it refuses is isolated; the others are written without it.
 */
export async function importBatch(
  connection: DedicatedConnection,
  batch: readonly IncomingLine[],
  run: ImportRun,
  mode: BatchMode,
  deleteFirst = false,
): Promise<void> {
  try {
    const result = await mode.transact(connection, async () => {
      await mode.lock(connection);
      const plan = await planBatch(connection, batch, run);
      return { plan, ...(await mode.carryOut(connection, plan, run, deleteFirst)) };
    });
    addToResult(run, result);
    run.onCommitted?.();
  } catch (error) {
    const fault = describeDataFault(error);
    if (fault === null) throw error;
    const [first] = batch;
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await importBatch(connection, batch.slice(0, half), run, mode);
      await importBatch(connection, batch.slice(half), run, mode);
    } else if (isDuplicateKey(error) && !deleteFirst) {
      // A passport row was deleted by hand and left other rows of the person: delete them, and
      // retry.
      await importBatch(connection, batch, run, mode, true);
    } else if (first !== undefined) {
      reject(run, { ...first, refusal: { field: null, reason: fault }, withheld: false });
    }
  }
}

type BatchPlan = {
  /** People to write, with what changes about their visibility. */
  incoming: AdjustedPerson[];
  pendingHides: PendingHide[];
  /** People that the operator hides. Some of them may be hidden by their own request already. */
  alsoHiddenIds: number[];
  toErase: number[];
  unchanged: number;
  optedOutLines: number;
  keptHidden: number;
  refused: RefusedLine[];
};

type Outcome = { saved: Saved; erased: number[] };
type Planned = Outcome & { plan: BatchPlan };

/** Reads only. The ids of this import are written to a temporary table, to find duplicates. */
async function planBatch(connection: Connection, batch: readonly IncomingLine[], run: ImportRun): Promise<BatchPlan> {
  const { people, optedOutWallets, ...lines } = await classifyLines(connection, batch, run);
  const ids = people.map(({ person }) => person.passport_id);
  const encode = createRowEncoder();
  const adjusted = people.map((line) => adjustPerson(line, optedOutWallets, encode));
  const pendingHides = await listPendingHides(connection, ids);
  const { incoming, keptHidden, alsoHiddenIds } = await keepHidden(
    connection,
    applyPendingHides(adjusted, pendingHides),
  );
  return { ...lines, incoming, pendingHides, alsoHiddenIds, keptHidden };
}

async function writeBatch(
  connection: Connection,
  { incoming, pendingHides, alsoHiddenIds, toErase }: BatchPlan,
  { optOutKeys }: ImportRun,
  deleteFirst: boolean,
): Promise<Outcome> {
  const ids = incoming.map(({ passport_id }) => passport_id);
  await updateHiddenByOperator(connection, alsoHiddenIds);
  const erased = await eraseWithAnother(connection, toErase, optOutKeys);
  if (deleteFirst) await deletePeople(connection, ids);
  const saved = await writePeople(connection, incoming);
  await recordPendingHides(connection, pendingHides);
  await storeDigests(connection, incoming, saved.unchangedIds);
  return { saved, erased };
}

/**
 * What `writeBatch` would return, without writing. Ids of unchanged people and contested wallets are
 * left out.
 */
async function previewBatch(connection: Connection, { incoming, toErase }: BatchPlan): Promise<Outcome> {
  const changes = await findChanges(connection, incoming);
  const added = changes.filter((change) => change.stored === null).length;
  const saved = {
    added,
    changed: changes.length - added,
    unchanged: incoming.length - changes.length,
    unchangedIds: [],
    contested: [],
  };
  return { saved, erased: await listStoredIds(connection, toErase) };
}

/**
 * Stores the digests of new lines with unchanged content, so that the next import skips them
 * unread.
 */
async function storeDigests(
  connection: Connection,
  people: readonly PreparedPerson[],
  unchangedIds: readonly number[],
): Promise<void> {
  const digests = new Map(people.map(({ passport_id, sourceDigest }) => [passport_id, sourceDigest]));
  const unchanged = unchangedIds.flatMap((passport_id) => {
    const digest = digests.get(passport_id) ?? null;
    return digest === null ? [] : [{ passport_id, digest }];
  });
  if (unchanged.length > 0) await updateSourceDigests(connection, unchanged);
}

/** The result lists the first contested wallets, and counts the new ones. */
const MAX_LISTED_CONTESTED = 100;

function addToResult(run: ImportRun, { plan, saved, erased }: Outcome & { plan: BatchPlan }): void {
  const { incoming, unchanged, optedOutLines, keptHidden, refused } = plan;
  const { imported } = run;
  imported.added += saved.added;
  imported.changed += saved.changed;
  imported.unchanged += unchanged + saved.unchanged;
  imported.opted_out += optedOutLines;
  imported.erased.push(...erased);
  imported.wallets_dropped += incoming.reduce((total, person) => total + person.walletsDropped, 0);
  imported.kept_hidden += keptHidden;
  imported.contested_wallets += saved.contested.filter((wallet) => wallet.is_new).length;
  const listed = new Map([...imported.contested, ...saved.contested].map((wallet) => [wallet.address, wallet]));
  imported.contested = [...listed.values()].slice(0, MAX_LISTED_CONTESTED);
  for (const line of refused) reject(run, line);
}
