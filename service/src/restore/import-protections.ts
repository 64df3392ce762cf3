import { type Connection, type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { describeDataFault } from "#core/database/failures.ts";
import { lockPeople } from "#core/database/locks.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { carryOut } from "#holders/manage/carry-out.ts";
import { refuseUnverified } from "#holders/manage/delete-requests.ts";
import { lockOpenRequest, updateStaysHidden } from "#holders/manage/requests.ts";
import { NOTES } from "#holders/request-notes.ts";
import { updateKeysRestricted } from "#keys/manage/restrict-keys.ts";
import { insertHolderHides, insertShownAfterBackup, updateHiddenByOperator } from "#people/facts/hidden-by-holder.ts";
import { readPeople } from "#people/read/read-people.ts";
import { preparePeople } from "#people/write/prepare-person.ts";
import { writePeople } from "#people/write/save-people.ts";
import { applyOptOuts } from "#privacy/apply-opt-outs.ts";
import { insertAudit } from "#privacy/audit.ts";
import { erasePeople } from "#privacy/erase-people.ts";
import { insertOptOuts } from "#privacy/opt-outs.ts";
import { insertPendingHides } from "#privacy/pending-hides.ts";
import { analyzePeople } from "#privacy/planner-statistics.ts";
import {
  type HiddenBy,
  insertImportedFile,
  insertUnsignedErasures,
  type VisibilityDecision,
} from "./apply-protections.ts";
import {
  forEachPart,
  type ImportedProtections,
  idOf,
  type Plan,
  type ProtectionOptions,
  planImport,
} from "./plan-protections.ts";
import { type Protections, type ProtectionsHeader, readProtections } from "./protections-file.ts";

/**
 * Applies a file of protections to a restored database, in one transaction. It hides, erases, revokes
 * and shortens, and never the reverse.
 */
export async function importProtections(
  database: Database,
  path: string,
  options: ProtectionOptions,
): Promise<ImportedProtections> {
  const { optOutKeys: keys, onProgress } = options;
  const header = await checkFile(path);
  const applied = inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const plan = await planImport(connection, path, header, options);
    if (plan.result.imported_before === null) await carryOutPlan(connection, path, header, plan, onProgress);
    return plan.result;
  });
  const result = await applied.catch((error) => {
    throw explainFault(path, error);
  });
  // Also if the file was imported before: that may have ended here, or lacked the key.
  const swept = await applyOptOuts(database, { file: null, keys, onProgress });
  result.erased.push(...swept.erased);
  result.wallets_dropped = swept.wallets_dropped;
  if (result.erased.length > 0) await analyzePeople(database);
  return result;
}

/** What an import would do, without the wallets of people who opted out. Reads only, and nobody waits for it. */
export async function previewProtections(
  database: Database,
  path: string,
  options: ProtectionOptions,
): Promise<ImportedProtections> {
  const header = await checkFile(path);
  const planned = inTransaction(
    database,
    async (connection) => {
      await planLookUps(connection);
      return planImport(connection, path, header, options);
    },
    "repeatable read, read only",
  );
  const { result } = await planned.catch((error) => {
    throw explainFault(path, error);
  });
  return result;
}

function explainFault(path: string, error: unknown): unknown {
  const fault = describeDataFault(error);
  if (fault === null) return error;
  return new SnapshotRefused(
    `PostgreSQL refuses a value in "${path}": ${fault}`,
    "Nothing was changed. Pass a file as `credence export --protections` writes it.",
    { cause: error },
  );
}

/** Reads the whole file before anything is written. */
async function checkFile(path: string): Promise<ProtectionsHeader> {
  let header: ProtectionsHeader | null = null;
  for await (const part of readProtections(path)) if ("header" in part) header = part.header;
  return header as unknown as ProtectionsHeader;
}

async function carryOutPlan(
  connection: Connection,
  path: string,
  header: ProtectionsHeader,
  plan: Plan,
  onProgress: (lines: number) => void,
): Promise<void> {
  // Before people, and in one statement: a command that changes a key locks the key, then the counter of
  // protections, as the rest of this transaction does.
  if (plan.keys.length > 0) await updateKeysRestricted(connection, plan.keys);
  let lines = 0;
  await forEachPart(path, async ({ optOuts }) => {
    if (optOuts.length === 0) return;
    await applyOptedOut(connection, optOuts);
    lines += optOuts.length;
    onProgress(lines);
  });
  await refuseUnverified(connection, NOTES.askAgain);
  await applyVisibility(connection, plan);
  await hideUnsigned(connection, plan.unsigned);
  for (const { requestId, step } of plan.erasures) {
    const request = await lockOpenRequest(connection, requestId);
    if (request !== null) await carryOut(connection, request, step, { optOutKey: null });
  }
  await insertImportedFile(connection, header.file_id, header.changes);
}

async function applyOptedOut(connection: Connection, optOuts: Protections["optOuts"]): Promise<void> {
  // It is the file of this database.
  await insertOptOuts(connection, optOuts, "here");
  const ids = [...new Set(optOuts.map((optOut) => optOut.passport_id))];
  await erasePeople(connection, ids);
}

async function applyVisibility(connection: Connection, { visibility, endedIds }: Plan): Promise<void> {
  const { hide = [], add = [], keep = [], list = [] } = Object.groupBy(visibility, ({ decision }) => decision);
  await hidePeople(connection, hide);
  await insertHolderHides(connection, add.filter(isByHolder).map(idOf), true);
  await updateHiddenByOperator(connection, add.filter(isByOperator).map(idOf));
  await insertKept(connection, keep);
  await insertShownAfterBackup(connection, list.map(idOf));
  // The file hides them for another reason than the erasure that is open here.
  const staying = [...hide, ...add].map(idOf).filter((id) => endedIds.has(id));
  for (const passportId of staying) await updateStaysHidden(connection, passportId);
}

type Hide = Pick<VisibilityDecision, "passport_id" | "by" | "at">;

const isByHolder = ({ by }: { by: HiddenBy }): boolean => by !== "operator";
const isByOperator = ({ by }: { by: HiddenBy }): boolean => by !== "holder";

/** Hides people who are shown. */
async function hidePeople(connection: Connection, hides: readonly Hide[]): Promise<void> {
  if (hides.length === 0) return;
  const ids = hides.map(idOf);
  const people = await readPeople(connection, ids);
  await writePeople(
    connection,
    preparePeople(people.map((person) => ({ ...person, operator: { ...person.operator, hidden: true } }))),
  );
  const byHolder = hides.filter(isByHolder);
  await insertHolderHides(connection, byHolder.map(idOf));
  await updateHiddenByOperator(connection, byHolder.filter(isByOperator).map(idOf));
  await insertAudit(connection, "hide", ids);
}

function insertKept(connection: Connection, hides: readonly Hide[]): Promise<void> {
  const kept = hides.map((hide) => ({
    passport_id: hide.passport_id,
    hidden_at: hide.at,
    by_holder: isByHolder(hide),
    by_operator: isByOperator(hide),
  }));
  return insertPendingHides(connection, kept);
}

async function hideUnsigned(connection: Connection, unsigned: Plan["unsigned"]): Promise<void> {
  const byHolder = unsigned.map((erasure) => ({ ...erasure, at: erasure.asked_at, by: "holder" as const }));
  const { hide = [], add = [], keep = [] } = Object.groupBy(byHolder, ({ decision }) => decision);
  await hidePeople(connection, hide);
  await insertHolderHides(connection, add.map(idOf), true);
  await insertKept(connection, keep);
  await insertUnsignedErasures(connection, unsigned);
}
