import { isUtf8 } from "node:buffer";
import type { Person } from "@credence/contract/person.ts";
import type { Line } from "#core/files/lines.ts";
import type { ContestedWallet } from "#people/facts/wallet-owners.ts";
import type { PreparedPerson } from "#people/write/prepare-person.ts";
import type { Saved } from "#people/write/save-people.ts";
import type { FieldCounts } from "#snapshots/format/field-counts.ts";
import type { Fault } from "#snapshots/format/find-faults.ts";
import type { Refusal, UnknownFields } from "#snapshots/format/validate-line.ts";

/** A line of the rejects file. */
export type Rejected = {
  file: string;
  line: number;
  field: string | null;
  reason: string;
  /** Further faults of the line, up to nine. */
  also?: Fault[];
  text: string | null;
  base64?: string;
  /** The text is left out because the line seems to name a person who was erased. */
  withheld?: boolean;
};

export type ImportOptions = {
  /** Read and compare, and write nothing. */
  dryRun: boolean;
  optOutKeys: readonly string[];
  /** What to do with fields that V1 does not have. */
  unknownFields: UnknownFields;
  /** Counts the unknown fields and wrong types of refused lines. */
  fields: FieldCounts;
  onRejected: (rejected: Rejected) => void;
  onProgress: (people: number) => void;
  /** Called after each commit. */
  onCommitted?: () => void;
};

export type Imported = Omit<Saved, "contested" | "unchangedIds"> & {
  refused: number;
  /** Number of faults by kind, for the first twenty kinds. */
  reasons: Record<string, number>;
  /** Faults of further kinds. */
  other_reasons: number;
  /** Lines of people who were erased. */
  erased: number;
  /** Wallets of erased people that other lines list. They were left out. */
  wallets_removed: number;
  /** People whose main wallet it was; the first of them. */
  lost_main_wallets: number;
  lost_main: number[];
  contested_wallets: number;
  /** The first contested wallets. */
  contested: ContestedWallet[];
};

/** One import: its options and its result so far. */
export type ImportRun = ImportOptions & { imported: Imported };

/** A line and the file it is in. */
export type Place = { file: string; line: Line };

/** A line that was read but not written yet. */
export type IncomingLine = Place & { digest: string; content: LineContent };

export type LineContent =
  /** `incoming` is the person of the line. */
  | { kind: "person"; incoming: Person; person: PreparedPerson }
  /** The stored state was imported from an identical line. */
  | { kind: "unchanged"; passport_id: number }
  /** `guessed` decides only whether the text is withheld from the rejects file. */
  | { kind: "refused"; refusal: Refusal; guessed: { passport_id: number | null; wallets: string[] } };

/** A line that is not imported. `withheld`: it seems to name a person who was erased. */
export type RefusedLine = Place & { refusal: Refusal; withheld: boolean };

export const emptyResult = (): Imported => ({
  added: 0,
  changed: 0,
  unchanged: 0,
  refused: 0,
  reasons: {},
  other_reasons: 0,
  erased: 0,
  wallets_removed: 0,
  lost_main_wallets: 0,
  lost_main: [],
  contested_wallets: 0,
  contested: [],
});

export const countLines = ({ added, changed, unchanged, refused, erased }: Imported): number =>
  added + changed + unchanged + refused + erased;

/** Counts a refused line and passes it to the rejects file. */
export function reject(run: ImportRun, { file, line, refusal: found, withheld }: RefusedLine): void {
  // A reason may quote the line, so it is withheld too.
  const refusal: Refusal = withheld ? { field: null, reason: WITHHELD } : found;
  const { imported } = run;
  imported.refused += 1;
  const { also = [], ...first } = refusal;
  for (const kind of new Set([first, ...also].map(nameOf))) {
    if (kind in imported.reasons || Object.keys(imported.reasons).length < MAX_REASONS) {
      imported.reasons[kind] = (imported.reasons[kind] ?? 0) + 1;
    } else {
      imported.other_reasons += 1;
    }
  }
  const text = withheld ? { text: null, withheld } : textOf(line.bytes);
  const others = also.length === 0 ? {} : { also: also.map(withoutKind) };
  run.onRejected({ file, line: line.number, ...withoutKind(first), ...others, ...text });
}

const WITHHELD =
  "cannot be imported, and seems to name a person who was erased: its text and its fault are not recorded";
const MAX_REASONS = 20;
/** Names of unknown fields come from the data. */
const MAX_FIELD_LENGTH = 100;

/** What a fault is counted as. */
const nameOf = ({ field, reason, kind = reason }: Fault): string =>
  `${field?.replaceAll(/\.\d+/g, "[]").slice(0, MAX_FIELD_LENGTH) ?? "the line"} ${kind}`;

/** A fault in the rejects file. */
const withoutKind = ({ field, reason }: Fault): Fault => ({ field, reason });

/** Bytes that are not UTF-8 cannot be a JSON string. */
const textOf = (bytes: Buffer) =>
  isUtf8(bytes) ? { text: bytes.toString("utf8") } : { text: null, base64: bytes.toString("base64") };
