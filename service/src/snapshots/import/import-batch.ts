import { CARRIED_FIELDS, type CarriedFields } from "@credence/contract/carried.ts";
import { createRowEncoder } from "#core/database/copy.ts";
import { type Connection, type DedicatedConnection, planLookUps, transact } from "#core/database/database.ts";
import { describeDataFault, isDuplicateKey } from "#core/database/failures.ts";
import { lockPeople } from "#core/database/locks.ts";
import { findCarriedFields } from "#people/facts/carried-fields.ts";
import { listStoredIds } from "#people/facts/passports.ts";
import { updateSourceDigests } from "#people/facts/stored-states.ts";
import { carriedValue, isHttps } from "#people/present/carried.ts";
import { deletePeople } from "#people/write/delete-people.ts";
import { findChanges, listHiddenInMerges } from "#people/write/find-changes.ts";
import type { PreparedPerson } from "#people/write/prepare-person.ts";
import { type Saved, writePeople } from "#people/write/save-people.ts";
import { erasePeople } from "#privacy/erase-people.ts";
import { queueRecalculation } from "#scores/manage/queue-recalculation.ts";
import { recordImportedScores } from "#scores/manage/record-imported-scores.ts";
import { listPendingHides } from "#snapshots/import/pending-hides.ts";
import { adjustPerson, listStoredScores } from "./adjust-person.ts";
import { classifyLines } from "./classify-lines.ts";
import {
  type ImportRun,
  type IncomingLine,
  nothingOmitted,
  type OmittedValues,
  type PersonLine,
  type RefusedLine,
  reject,
} from "./import-run.ts";
import { applyPendingHides, keepHidden, recordPendingHides } from "./keep-hidden.ts";

/**
 * Writes one batch, if possible in one transaction. If PostgreSQL refuses the data, the batch is
 * halved until the person it refuses is isolated; the others are written without it.
 */
export async function importBatch(
  connection: DedicatedConnection,
  batch: readonly IncomingLine[],
  run: ImportRun,
  deleteFirst = false,
): Promise<void> {
  try {
    addToResult(run, await transact(connection, () => writeBatch(connection, batch, run, deleteFirst)));
    run.onCommitted?.();
  } catch (error) {
    const fault = describeDataFault(error);
    if (fault === null) throw error;
    const [first] = batch;
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await importBatch(connection, batch.slice(0, half), run);
      await importBatch(connection, batch.slice(half), run);
    } else if (isDuplicateKey(error) && !deleteFirst) {
      // A passport row was deleted by hand and left other rows of the person: delete them, and
      // retry.
      await importBatch(connection, batch, run, true);
    } else if (first !== undefined) {
      reject(run, { ...first, refusal: { field: null, reason: fault }, withheld: false });
    }
  }
}

type BatchResult = {
  saved: Saved;
  optedOutLines: number;
  erased: number[];
  walletsDropped: number;
  keptHidden: number;
  omitted: OmittedValues;
  refused: RefusedLine[];
};

async function writeBatch(
  connection: Connection,
  batch: readonly IncomingLine[],
  run: ImportRun,
  deleteFirst: boolean,
): Promise<BatchResult> {
  // The lock is taken before opt-outs are read, so that no erasure happens in between.
  await (run.dryRun ? planLookUps(connection) : lockPeople(connection));
  const { people, unchanged, optedOutLines, toErase, refused, optedOutWallets } = await classifyLines(
    connection,
    batch,
    run.optOutKey,
  );
  const ids = people.map(({ person }) => person.passport_id);
  const storedScores = run.recalculate ? await listStoredScores(connection, ids) : null;
  const carried = await findCarriedFields(connection);
  const encode = createRowEncoder();
  const adjusted = people.map((line) =>
    adjustPerson(line, { carried, optedOut: optedOutWallets, storedScores }, encode),
  );
  const pendingHides = await listPendingHides(connection, ids);
  const { incoming, keptHidden } = await keepHidden(connection, applyPendingHides(adjusted, pendingHides));
  const erased = await (run.dryRun ? listStoredIds(connection, toErase) : erasePeople(connection, toErase));
  if (deleteFirst) await deletePeople(connection, ids);
  const saved = await (run.dryRun
    ? previewWrite(connection, incoming)
    : writePeople(connection, incoming, recordImportedScores));
  if (!run.dryRun) {
    await recordPendingHides(connection, pendingHides);
    await storeDigests(connection, adjusted, saved.unchangedIds);
    const changedIds = new Set(ids).difference(new Set(saved.unchangedIds));
    if (run.recalculate) await queueRecalculation(connection, [...changedIds], saved.presentedIds);
  }
  saved.unchanged += unchanged;
  const walletsDropped = incoming.reduce((total, person) => total + person.walletsDropped, 0);
  const omitted = countOmitted(people, carried);
  return { saved, optedOutLines, erased, walletsDropped, keptHidden, omitted, refused };
}

function countOmitted(people: readonly PersonLine[], carried: CarriedFields): OmittedValues {
  const omitted = nothingOmitted();
  for (const { incoming } of people) {
    for (const field of CARRIED_FIELDS) {
      const value = carriedValue(incoming.passport, field) ?? null;
      const isUsable = field !== "passport_profile.image_url" || isHttps(String(value));
      if (value !== null && !(carried.has(field) && isUsable)) omitted[field] += 1;
    }
  }
  return omitted;
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

/**
 * What `writePeople` would return, without writing. Ids of unchanged people and contested wallets are
 * left out.
 */
async function previewWrite(connection: Connection, incoming: readonly PreparedPerson[]): Promise<Saved> {
  const changes = await findChanges(connection, incoming);
  const added = changes.filter((change) => change.stored === null).length;
  return {
    added,
    changed: changes.length - added,
    unchanged: incoming.length - changes.length,
    unchangedIds: [],
    presentedIds: new Set(),
    contested: [],
    hiddenInMerges: listHiddenInMerges(changes),
  };
}

/** The result lists the first contested wallets, and counts the new ones. */
const MAX_LISTED_CONTESTED = 100;
/** The result lists the first people who are hidden and merged into others, and counts all. */
const MAX_LISTED_HIDDEN = 100;

function addToResult(run: ImportRun, batch: BatchResult): void {
  const { saved, optedOutLines, erased, walletsDropped, keptHidden, omitted, refused } = batch;
  const { imported } = run;
  imported.added += saved.added;
  imported.changed += saved.changed;
  imported.unchanged += saved.unchanged;
  imported.opted_out += optedOutLines;
  imported.erased.push(...erased);
  imported.wallets_dropped += walletsDropped;
  imported.kept_hidden += keptHidden;
  imported.hidden_in_merges_total += saved.hiddenInMerges.length;
  imported.hidden_in_merges = [...imported.hidden_in_merges, ...saved.hiddenInMerges].slice(0, MAX_LISTED_HIDDEN);
  for (const field of CARRIED_FIELDS) imported.omitted[field] += omitted[field];
  imported.contested_wallets += saved.contested.filter((wallet) => wallet.is_new).length;
  const listed = new Map([...imported.contested, ...saved.contested].map((wallet) => [wallet.address, wallet]));
  imported.contested = [...listed.values()].slice(0, MAX_LISTED_CONTESTED);
  for (const line of refused) reject(run, line);
}
