import { hash } from "node:crypto";
import type { Person } from "@credence/contract/person.ts";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { splitLines } from "#core/files/lines.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { openSource } from "#core/files/source.ts";
import { readPerson } from "#snapshots/format/validate-line.ts";
import { NO_NOTES } from "./lossless.ts";
import { type NullValues, REJECT_NULLS, replaceNulls } from "./null-values.ts";
import type { Observation } from "./observation.ts";
import { canonicalPassport, listedPart } from "./observe.ts";

/** A run with --since fetches this part of the unchanged people again. */
export const PARTS = 30;

/** The snapshot of the previous run. */
export type Previous = {
  /** The part of the unchanged people that this run fetches: the one after the previous run's. */
  part: number;
  createdAt: string;
  ids: () => Iterable<number>;
  has: (id: number) => boolean;
  /** Merged people are not in the list. */
  isMerged: (id: number) => boolean;
  /** Since when a person has been kept without a valid response; null if the record was valid. */
  keptSince: (id: number) => string | null;
  /** Whether an entry of the list differs from the snapshot, or is not in it. */
  isChanged: (id: number, entry: Record<string, unknown>) => boolean;
  read: () => AsyncGenerator<Observation>;
};

type Fields = Record<string, unknown>;

/** Of what the list shows of a person: 48 bits, which fit into a number. */
function digestOf(passport: Fields, nulls = REJECT_NULLS): number {
  const listed = listedPart(canonicalPassport(passport, NO_NOTES));
  replaceNulls(listed, nulls);
  return hash("sha256", JSON.stringify(listed), "buffer").readUIntBE(0, 6);
}

export async function openPrevious(folder: string, nulls: NullValues): Promise<Previous> {
  const source = await openSource(folder, []);
  if (source.manifest === null) {
    throw new SnapshotRefused(`"${folder}" is not a snapshot.`, "Pass the folder of the previous run to --since.");
  }
  await source.check(() => {});
  const digests = new Map<number, number>();
  const merged = new Set<number>();
  const readPeople = async function* (): AsyncGenerator<{ person: Person; text: string }> {
    for (const file of source.files) {
      for await (const lines of splitLines(
        file.read(() => {}),
        LIMITS.lineBytes,
      )) {
        for (const line of lines) {
          const { person } = readPerson(line);
          if (person !== null) yield { person, text: line.bytes.toString("utf8") };
        }
      }
    }
  };
  for await (const { person } of readPeople()) {
    const { passport_id: id } = person.passport;
    digests.set(id, digestOf(person.passport));
    if (person.passport.merged) merged.add(id);
  }
  const { created_at: createdAt, collected } = source.manifest;
  const kept = new Map(
    (collected?.kept ?? []).flatMap(({ since, passport_ids }) => passport_ids.map((id) => [id, since] as const)),
  );
  return {
    createdAt,
    part: collected?.part === undefined ? 0 : (collected.part + 1) % PARTS,
    ids: () => digests.keys(),
    has: (id) => digests.has(id),
    isMerged: (id) => merged.has(id),
    keptSince: (id) => kept.get(id) ?? null,
    isChanged: (id, entry) => digests.get(id) !== digestOf(entry, nulls),
    async *read() {
      for await (const { person, text } of readPeople()) {
        const { passport_id: id, last_calculated_at: calculatedAt } = person.passport;
        yield { id, kind: "previous", at: null, calculatedAt, text };
      }
    },
  };
}
