import { isUtf8 } from "node:buffer";
import type { PreparedPerson } from "#operations/write/prepare-person.ts";
import type { Saved } from "#operations/write/save-people.ts";
import type { Scores } from "#scoring/score.ts";
import type { Fault } from "#snapshot/find-faults.ts";
import type { Line } from "#snapshot/lines.ts";
import type { Refusal } from "#snapshot/validate-line.ts";
import type { StoredPassport } from "#store/people/passports.ts";
import type { ContestedWallet } from "#store/people/wallets.ts";

/** A line that was not taken in. */
export type Rejected = {
  file: string;
  line: number;
  field: string | null;
  reason: string;
  /** Further faults of the line, up to nine. */
  also?: Fault[];
  text: string | null;
  base64?: string;
  /** The text is left out because the line names somebody who opted out. */
  withheld?: boolean;
};

export type ImportOptions = {
  /** Read and compare, and write nothing. */
  dryRun: boolean;
  optOutKey: string | null;
  /** Work out the scores of whoever is added or changed; those that come with known people are not taken. */
  recalculate: boolean;
  onRejected: (rejected: Rejected) => void;
  onProgress: (progress: { people: number; bytes: number }) => void;
  /** Called whenever a batch is committed. */
  onCommitted?: () => void;
};

export type Imported = Omit<Saved, "contested" | "unchangedIds" | "presentedIds"> & {
  refused: number;
  /** How often a fault was found, by kind: the first twenty kinds. */
  reasons: Record<string, number>;
  /** Faults of other kinds. */
  other_reasons: number;
  opted_out: number;
  /** The ids of stored people whose lines opt-outs made this import erase. */
  erased: number[];
  wallets_dropped: number;
  contested_wallets: number;
  /** The first of them. */
  contested: ContestedWallet[];
};

export type ImportRun = ImportOptions & { imported: Imported };

/** The scores of a person as they are stored, and when they were calculated. */
export type HeldScores = Scores & Pick<StoredPassport, "calculating_score" | "last_calculated_at">;

export type Place = { file: string; line: Line };
/** A line and what was read from it. */
export type GivenLine = Place & { digest: string; content: LineContent };

/**
 * A person, prepared with the scores that were stored when the line was read, if those count; or one whose stored state comes from this very line; or a refusal. What is guessed about a refused line decides only
 * whether its text is withheld from the rejects file: nobody is erased, skipped or changed because of a guess.
 */
export type LineContent =
  | { kind: "person"; person: PreparedPerson; scores: HeldScores | undefined }
  | { kind: "unchanged"; passport_id: number }
  | { kind: "refused"; refusal: Refusal; guessed: { passport_id: number | null; main_wallet: string | null } };

/** A line that holds a person to be written. */
export type PersonLine = Place & { digest: string; person: PreparedPerson; scores: HeldScores | undefined };

export const noneYet = (): Imported => ({
  added: 0,
  changed: 0,
  unchanged: 0,
  refused: 0,
  reasons: {},
  other_reasons: 0,
  opted_out: 0,
  erased: [],
  wallets_dropped: 0,
  contested_wallets: 0,
  contested: [],
});

/** A line that is not taken in. `withheld`: it names somebody who opted out, so its text is not kept. */
export type RefusedLine = Place & { refusal: Refusal; withheld: boolean };

export function reject(run: ImportRun, { file, line, refusal: found, withheld }: RefusedLine): void {
  // A reason may quote the line.
  const refusal: Refusal = withheld
    ? {
        field: null,
        reason: "cannot be imported, and seems to name somebody who opted out: neither its text nor its fault is kept",
      }
    : found;
  const { imported } = run;
  imported.refused += 1;
  const { also = [], ...first } = refusal;
  for (const kind of new Set([first, ...also].map(kindOf))) {
    if (kind in imported.reasons || Object.keys(imported.reasons).length < MOST_REASONS) {
      imported.reasons[kind] = (imported.reasons[kind] ?? 0) + 1;
    } else {
      imported.other_reasons += 1;
    }
  }
  const text = withheld ? { text: null, withheld } : textOf(line.bytes);
  run.onRejected({ file, line: line.number, ...refusal, ...text });
}

const MOST_REASONS = 20;
/** Names of unknown fields are whatever data says. */
const LONGEST_FIELD = 100;

/** The same mistake has the same words, wherever it stands. */
function kindOf({ field, reason }: Fault): string {
  const where = field?.replaceAll(/\.\d+/g, "[]").slice(0, LONGEST_FIELD) ?? "the line";
  const kind = reason
    .replace(/(JSON): .*|line \d+ of .* already/s, (_, json) => json ?? "another line already")
    .replace(/^is \d+, which is .*: /, "closes ")
    .replace(/^has \d+ (characters|items)/, "has too many $1");
  return `${where} ${kind}`;
}

/** What is no UTF-8 cannot stand in JSON as it is. */
const textOf = (bytes: Buffer) =>
  isUtf8(bytes) ? { text: bytes.toString("utf8") } : { text: null, base64: bytes.toString("base64") };

export const countLines = ({ added, changed, unchanged, refused, opted_out }: Imported): number =>
  added + changed + unchanged + refused + opted_out;
