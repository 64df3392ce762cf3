import type { CarriedField } from "@credence/contract/carried.ts";
import { dropOtherFields, presentAll } from "#carried-fields/carried-fields.ts";
import { type Connection, type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { describeDataFault } from "#core/database/failures.ts";
import { lockPeople } from "#core/database/locks.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { carryOut } from "#holders/manage/carry-out.ts";
import { refuseUnverified } from "#holders/manage/delete-requests.ts";
import { NOTES, restoredStep, type Step } from "#holders/manage/request-rules.ts";
import { findOpenRequest, lockOpenRequest, updateStaysHidden } from "#holders/manage/requests.ts";
import { type KeyLimits, listKeysToRestrict, updateKeysRestricted } from "#keys/manage/move-keys.ts";
import { findCarriedFields, updateDoubtful } from "#people/facts/carried-fields.ts";
import { insertHolderHides, insertShownAfterBackup, updateHiddenByOperator } from "#people/facts/hidden-by-holder.ts";
import { listHiddenIds, listStoredIds } from "#people/facts/passports.ts";
import { readPeople } from "#people/read/read-people.ts";
import { preparePeople } from "#people/write/prepare-person.ts";
import { writePeople } from "#people/write/save-people.ts";
import { applyOptOuts } from "#privacy/apply-opt-outs.ts";
import { insertAudit } from "#privacy/audit.ts";
import { erasePeople } from "#privacy/erase-people.ts";
import { insertOptOuts } from "#privacy/opt-outs.ts";
import { analyzePeople } from "#privacy/planner-statistics.ts";
import { deletePendingHides, insertPendingHides } from "#snapshots/import/pending-hides.ts";
import {
  type FileErasure,
  findImportedAt,
  type HiddenBy,
  insertImportedFile,
  insertUnsignedErasures,
  listMissingKeys,
  listOpenErasures,
  listUnsignedErasures,
  listVisibilityDecisions,
  type OpenErasure,
  type UnsignedErasure,
  upsertPendingKeys,
  type VisibilityDecision,
} from "./apply-protections.ts";
import { type Protections, type ProtectionsHeader, readProtections } from "./protections-file.ts";

export type ProtectionOptions = {
  optOutKeys: readonly string[];
  graceMs: number;
  onProgress: (lines: number) => void;
};

export type ImportedProtections = {
  /** When the file was imported before. Then nothing is changed. */
  imported_before: Date | null;
  /** The time of the file. */
  at: string;
  opt_outs: number;
  erased: number[];
  wallets_dropped: number;
  hidden: number[];
  /** Not stored: they will be hidden when they arrive. */
  kept: number[];
  /** Hidden here, but shown in the file. They stay hidden. */
  shown_in_file: number[];
  /** Requests to erase: those that begin a new grace period, and those that the operator decides on. */
  erasures_waiting: number[];
  erasures_to_decide: number[];
  /** People who asked to be erased, and whose signed request is not here. */
  erasures_unsigned: number[];
  keys_restricted: string[];
  /** Keys of the file that are not stored here. */
  keys_missing: string[];
  /** Fields that V1 sent beside its own here, and not when the file was written. */
  fields_dropped: CarriedField[];
  /** Fields that V1 sends beside its own, if the file does not say whether it did: the operator decides. */
  fields_to_decide: CarriedField[];
};

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
  // The answers of people still have fields that were dropped.
  await presentAll(database, onProgress);
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

const nothingImported = ({ at }: ProtectionsHeader): ImportedProtections => ({
  ...{ imported_before: null, at, opt_outs: 0, wallets_dropped: 0 },
  ...{ erased: [], hidden: [], kept: [], shown_in_file: [] },
  ...{ erasures_waiting: [], erasures_to_decide: [], erasures_unsigned: [], keys_restricted: [], keys_missing: [] },
  ...{ fields_dropped: [], fields_to_decide: [] },
});

type Plan = {
  result: ImportedProtections;
  keys: KeyLimits[];
  visibility: VisibilityDecision[];
  unsigned: (UnsignedErasure & { decision: "hide" | "add" | "keep" })[];
  erasures: { requestId: number; step: Step }[];
  /** People with an erasure that is open here and ended in the file. */
  endedIds: ReadonlySet<number>;
};

/** Compares the file with what is stored. Reads only. */
async function planImport(
  connection: Connection,
  path: string,
  header: ProtectionsHeader,
  { graceMs, onProgress }: ProtectionOptions,
): Promise<Plan> {
  const result = nothingImported(header);
  const plan: Plan = { result, keys: [], visibility: [], unsigned: [], erasures: [], endedIds: new Set() };
  result.imported_before = await findImportedAt(connection, header.file_id);
  if (result.imported_before !== null) return plan;
  const fileErasures: FileErasure[] = [];
  // Nothing else applies to people who were erased.
  const optedOut = new Set<number>();
  const isKept = ({ passport_id }: { passport_id: number }) => !optedOut.has(passport_id);
  await forEachPart(path, async ({ optOuts, erasures, keys }) => {
    fileErasures.push(...erasures);
    plan.keys.push(...keys);
    const ids = new Set(optOuts.map(({ passport_id }) => passport_id)).difference(optedOut);
    for (const id of ids) optedOut.add(id);
    result.opt_outs += optOuts.length;
    result.erased.push(...(await listStoredIds(connection, [...ids])));
  });
  await planFields(connection, header, result);
  result.keys_restricted = await listKeysToRestrict(connection, plan.keys);
  result.keys_missing = await listMissingKeys(connection, plan.keys);
  const open = (await listOpenErasures(connection, fileErasures, header.at)).filter(isKept);
  plan.endedIds = new Set(open.filter(isEndedInFile).map(idOf));
  let lines = 0;
  await forEachPart(path, async ({ visibility }) => {
    plan.visibility.push(...(await listVisibilityDecisions(connection, visibility)).filter(isKept));
    lines += visibility.length;
    onProgress(lines);
  });
  const { hide = [], keep = [], list = [] } = Object.groupBy(plan.visibility, ({ decision }) => decision);
  plan.unsigned = await planUnsigned(connection, fileErasures, isKept, new Set(hide.map(idOf)));
  const shown = plan.unsigned.filter(({ decision }) => decision === "hide");
  result.hidden = [...hide, ...shown].map(idOf);
  result.kept = keep.map(idOf);
  result.shown_in_file = list.map(idOf);
  result.erasures_unsigned = plan.unsigned.map(idOf);
  plan.erasures = await planErasures(connection, open, graceMs);
  const isReview = ({ step }: Plan["erasures"][number]) => step.state === "review";
  result.erasures_to_decide = plan.erasures.filter(isReview).map(({ requestId }) => requestId);
  result.erasures_waiting = plan.erasures.filter((erasure) => !isReview(erasure)).map(({ requestId }) => requestId);
  return plan;
}

async function forEachPart(path: string, apply: (part: Protections) => Promise<void>): Promise<void> {
  for await (const part of readProtections(path)) if ("lines" in part) await apply(part.lines);
}

const isEndedInFile = ({ in_file }: OpenErasure): boolean => in_file === "ended" || in_file === "unknown";

async function planFields(
  connection: Connection,
  { carried_fields }: ProtectionsHeader,
  result: ImportedProtections,
): Promise<void> {
  const carried = await findCarriedFields(connection);
  if (carried_fields === undefined) result.fields_to_decide = [...carried];
  else result.fields_dropped = [...carried.difference(new Set(carried_fields))];
}

/** People whose erasure is open in the file, and whose request is not here. They are hidden. */
async function planUnsigned(
  connection: Connection,
  fileErasures: readonly FileErasure[],
  isKept: (erasure: UnsignedErasure) => boolean,
  hiding: ReadonlySet<number>,
): Promise<Plan["unsigned"]> {
  const unsigned = (await listUnsignedErasures(connection, fileErasures)).filter(isKept);
  const hidden = new Set(await listHiddenIds(connection, unsigned.map(idOf)));
  return unsigned.map((erasure) => {
    const isHidden = hidden.has(erasure.passport_id) || hiding.has(erasure.passport_id);
    return { ...erasure, decision: erasure.is_stored ? (isHidden ? "add" : "hide") : "keep" };
  });
}

async function planErasures(
  connection: Connection,
  open: readonly OpenErasure[],
  graceMs: number,
): Promise<Plan["erasures"]> {
  const planned: Plan["erasures"] = [];
  for (const { request_id, in_file, was_hidden } of open) {
    const request = await findOpenRequest(connection, request_id);
    if (request === null) continue;
    const restMs = Math.max(graceMs, (request.grace_seconds ?? 0) * 1_000);
    const step = restoredStep(request, in_file, was_hidden, new Date(request.now.getTime() + restMs));
    if (step !== null) planned.push({ requestId: request_id, step });
  }
  return planned;
}

async function carryOutPlan(
  connection: Connection,
  path: string,
  header: ProtectionsHeader,
  plan: Plan,
  onProgress: (lines: number) => void,
): Promise<void> {
  const { result } = plan;
  if (header.carried_fields === undefined) await updateDoubtful(connection, result.fields_to_decide.length > 0);
  else await dropOtherFields(connection, new Set(header.carried_fields));
  // Before people, and in one statement: a command that changes a key locks the key, then the counter of
  // protections, as the rest of this transaction does.
  if (plan.keys.length > 0) {
    await updateKeysRestricted(connection, plan.keys);
    await upsertPendingKeys(connection, plan.keys);
  }
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
  await deletePendingHides(connection, ids);
  await erasePeople(connection, ids);
}

async function applyVisibility(connection: Connection, { visibility, endedIds }: Plan): Promise<void> {
  const { hide = [], add = [], keep = [], list = [] } = Object.groupBy(visibility, ({ decision }) => decision);
  await hidePeople(connection, hide);
  await insertHolderHides(connection, add.filter(isByHolder).map(idOf), true);
  await updateHiddenByOperator(connection, add.filter(isByOperator).map(idOf));
  await keepHides(connection, keep);
  await insertShownAfterBackup(connection, list.map(idOf));
  // The file hides them for another reason than the erasure that is open here.
  const staying = [...hide, ...add].map(idOf).filter((id) => endedIds.has(id));
  for (const passportId of staying) await updateStaysHidden(connection, passportId);
}

type Hide = Pick<VisibilityDecision, "passport_id" | "by" | "at">;

const idOf = ({ passport_id }: { passport_id: number }): number => passport_id;
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

function keepHides(connection: Connection, hides: readonly Hide[]): Promise<void> {
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
  await keepHides(connection, keep);
  await insertUnsignedErasures(connection, unsigned);
}
