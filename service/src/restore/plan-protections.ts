import type { Connection } from "#core/database/database.ts";
import { type Move, restoredStep } from "#holders/manage/request-rules.ts";
import { findOpenRequest } from "#holders/manage/requests.ts";
import { type KeyLimits, listKeysToRestrict } from "#keys/manage/restrict-keys.ts";
import { listHiddenIds, listStoredIds } from "#people/facts/passports.ts";
import {
  type FileErasure,
  findImportedAt,
  listMissingKeys,
  listOpenErasures,
  listUnsignedErasures,
  listVisibilityDecisions,
  type OpenErasure,
  type UnsignedErasure,
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
};

/** What an import changes, and what it says about it. */
export type Plan = {
  result: ImportedProtections;
  keys: KeyLimits[];
  visibility: VisibilityDecision[];
  unsigned: (UnsignedErasure & { decision: "hide" | "add" | "keep" })[];
  erasures: { requestId: number; step: Move }[];
  /** People with an erasure that is open here and ended in the file. */
  endedIds: ReadonlySet<number>;
};

/** Compares the file with what is stored. Reads only. */
export async function planImport(
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

export async function forEachPart(path: string, apply: (part: Protections) => Promise<void>): Promise<void> {
  for await (const part of readProtections(path)) if ("lines" in part) await apply(part.lines);
}

const isEndedInFile = ({ in_file }: OpenErasure): boolean => in_file === "ended" || in_file === "unknown";

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

const nothingImported = ({ at }: ProtectionsHeader): ImportedProtections => ({
  imported_before: null,
  at,
  opt_outs: 0,
  wallets_dropped: 0,
  erased: [],
  hidden: [],
  kept: [],
  shown_in_file: [],
  erasures_waiting: [],
  erasures_to_decide: [],
  erasures_unsigned: [],
  keys_restricted: [],
  keys_missing: [],
});

export const idOf = ({ passport_id }: { passport_id: number }): number => passport_id;
