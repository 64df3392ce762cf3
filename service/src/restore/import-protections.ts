import type { CarriedField } from "@credence/contract/carried.ts";
import { dropOtherFields, presentAll } from "#carried-fields/carried-fields.ts";
import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { describeDataFault } from "#core/database/failures.ts";
import { lockPeople } from "#core/database/locks.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { carryOut } from "#holders/manage/carry-out.ts";
import { refuseUnverified } from "#holders/manage/delete-requests.ts";
import { NOTES, restoredStep } from "#holders/manage/request-rules.ts";
import { lockOpenRequest, updateStaysHidden } from "#holders/manage/requests.ts";
import { type KeyLimits, updateKeysRestricted } from "#keys/manage/move-keys.ts";
import { findCarriedFields, updateDoubtful } from "#people/facts/carried-fields.ts";
import { insertHolderHides, insertShownAfterBackup, updateHiddenByOperator } from "#people/facts/hidden-by-holder.ts";
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
  type FileVisibility,
  findImportedAt,
  type HiddenBy,
  insertImportedFile,
  insertUnsignedErasures,
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
  optOutKey: string | null;
  graceMs: number;
  dryRun: boolean;
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

/** Thrown to undo a dry run. */
const ROLL_BACK = new Error("dry run");

/**
 * Applies a file of protections to a restored database, in one transaction. It hides, erases, revokes
 * and shortens, and never the reverse. A dry run does the same, and is rolled back.
 */
export async function importProtections(
  database: Database,
  path: string,
  options: ProtectionOptions,
): Promise<ImportedProtections> {
  const { optOutKey: key, dryRun, onProgress } = options;
  const header = await checkFile(path);
  const result = nothingImported(header);
  const applied = inTransaction(database, async (connection) => {
    await lockPeople(connection);
    result.imported_before = await findImportedAt(connection, header.file_id);
    if (result.imported_before !== null) return;
    await applyFile(connection, path, header, options, result);
    if (dryRun) throw ROLL_BACK;
  });
  await applied.catch((error) => {
    if (error !== ROLL_BACK) throw explainFault(path, error);
  });
  if (dryRun) return result;
  // The answers of people still have fields that were dropped.
  await presentAll(database, onProgress);
  // Also if the file was imported before: that may have ended here, or lacked the key.
  const swept = await applyOptOuts(database, { file: null, key, dryRun: false, onProgress });
  result.erased.push(...swept.erased);
  result.wallets_dropped = swept.wallets_dropped;
  if (result.erased.length > 0) await analyzePeople(database);
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

async function applyFile(
  connection: Connection,
  path: string,
  header: ProtectionsHeader,
  { graceMs, onProgress }: ProtectionOptions,
  result: ImportedProtections,
): Promise<void> {
  const erasures: FileErasure[] = [];
  const keys: KeyLimits[] = [];
  let lines = 0;
  const forEachPart = async (apply: (part: Protections) => Promise<void>) => {
    for await (const part of readProtections(path)) if ("lines" in part) await apply(part.lines);
  };
  await forEachPart(async (part) => {
    erasures.push(...part.erasures);
    keys.push(...part.keys);
  });
  await applyFields(connection, header, result);
  // Before people, and in one statement: a command that changes a key locks the key, then the counter of
  // protections, as the rest of this transaction does.
  await applyKeys(connection, keys, result);
  // Nothing else applies to people who were erased.
  await forEachPart(async ({ optOuts }) => {
    if (optOuts.length === 0) return;
    await applyOptedOut(connection, optOuts, result);
    lines += optOuts.length;
    onProgress(lines);
  });
  await refuseUnverified(connection, NOTES.askAgain);
  const open = await listOpenErasures(connection, erasures, header.at);
  const unsigned = await listUnsignedErasures(connection, erasures);
  const endedIds = new Set(open.filter(isEndedInFile).map(({ passport_id }) => passport_id));
  await forEachPart(async ({ visibility }) => {
    await applyVisibility(connection, visibility, result);
    // The file hides them for another reason than the erasure that is open here.
    const staying = visibility.filter(({ passport_id, hidden }) => hidden && endedIds.has(passport_id));
    for (const { passport_id } of staying) await updateStaysHidden(connection, passport_id);
    lines += visibility.length;
    onProgress(lines);
  });
  await hideUnsigned(connection, unsigned, result);
  await applyErasures(connection, open, graceMs, result);
  await insertImportedFile(connection, header.file_id, header.changes);
}

const isEndedInFile = ({ in_file }: OpenErasure): boolean => in_file === "ended" || in_file === "unknown";

async function applyOptedOut(
  connection: Connection,
  optOuts: Protections["optOuts"],
  result: ImportedProtections,
): Promise<void> {
  await insertOptOuts(connection, optOuts);
  const ids = [...new Set(optOuts.map((optOut) => optOut.passport_id))];
  await deletePendingHides(connection, ids);
  result.erased.push(...(await erasePeople(connection, ids)));
  result.opt_outs += optOuts.length;
}

async function applyVisibility(
  connection: Connection,
  visibility: readonly FileVisibility[],
  result: ImportedProtections,
): Promise<void> {
  if (visibility.length === 0) return;
  const decisions = await listVisibilityDecisions(connection, visibility);
  const { hide = [], add = [], keep = [], list = [] } = Object.groupBy(decisions, ({ decision }) => decision);
  await hidePeople(connection, hide);
  await insertHolderHides(connection, add.filter(isByHolder).map(idOf), true);
  await updateHiddenByOperator(connection, add.filter(isByOperator).map(idOf));
  await keepHides(connection, keep);
  result.hidden.push(...hide.map(idOf));
  result.kept.push(...keep.map(idOf));
  result.shown_in_file.push(...list.map(idOf));
  await insertShownAfterBackup(connection, list.map(idOf));
}

type Hide = Pick<VisibilityDecision, "passport_id" | "by" | "at">;

const idOf = ({ passport_id }: Pick<Hide, "passport_id">): number => passport_id;
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

/** People whose erasure is open in the file, and whose request is not here. */
async function hideUnsigned(
  connection: Connection,
  unsigned: readonly UnsignedErasure[],
  result: ImportedProtections,
): Promise<void> {
  const byHolder = unsigned.map(({ passport_id, is_stored, asked_at }) => ({
    ...{ passport_id, is_stored, at: asked_at, by: "holder" as const },
  }));
  const stored = byHolder.filter(({ is_stored }) => is_stored);
  const hidden = (await readPeople(connection, stored.map(idOf))).filter(({ operator }) => operator.hidden);
  const hiddenIds = new Set(hidden.map(({ passport }) => passport.passport_id));
  const shown = stored.filter(({ passport_id }) => !hiddenIds.has(passport_id));
  await hidePeople(connection, shown);
  await insertHolderHides(connection, [...hiddenIds], true);
  await keepHides(
    connection,
    byHolder.filter(({ is_stored }) => !is_stored),
  );
  await insertUnsignedErasures(connection, unsigned);
  result.hidden.push(...shown.map(idOf));
  result.erasures_unsigned = byHolder.map(idOf);
}

async function applyErasures(
  connection: Connection,
  open: readonly OpenErasure[],
  graceMs: number,
  result: ImportedProtections,
): Promise<void> {
  for (const { request_id, in_file, was_hidden } of open) {
    const request = await lockOpenRequest(connection, request_id);
    if (request === null) continue;
    const restMs = Math.max(graceMs, (request.grace_seconds ?? 0) * 1_000);
    const step = restoredStep(request, in_file, was_hidden, new Date(request.now.getTime() + restMs));
    if (step === null) continue;
    await carryOut(connection, request, step, { optOutKey: null });
    (step.state === "review" ? result.erasures_to_decide : result.erasures_waiting).push(request_id);
  }
}

async function applyFields(
  connection: Connection,
  { carried_fields }: ProtectionsHeader,
  result: ImportedProtections,
): Promise<void> {
  if (carried_fields !== undefined) {
    result.fields_dropped = [...(await dropOtherFields(connection, new Set(carried_fields)))];
    return;
  }
  result.fields_to_decide = [...(await findCarriedFields(connection))];
  await updateDoubtful(connection, result.fields_to_decide.length > 0);
}

async function applyKeys(
  connection: Connection,
  keys: readonly KeyLimits[],
  result: ImportedProtections,
): Promise<void> {
  if (keys.length === 0) return;
  result.keys_restricted.push(...(await updateKeysRestricted(connection, keys)));
  result.keys_missing.push(...(await upsertPendingKeys(connection, keys)));
}
